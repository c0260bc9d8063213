import { createHash, randomBytes, randomInt } from 'node:crypto';
import { bech32 } from '@scure/base';
import { exponentOf } from '../../../../domain/money';

interface Asset {
  decimals: number;
  /** Ten-thousandths of a unit of currency for a whole asset. The sandbox takes every currency for worth the same. */
  price: bigint;
  newAddress: () => string;
  uri: (address: string, units: bigint) => string;
}

// Test networks only: what somebody sends by mistake is worth nothing.
const SEPOLIA = 11_155_111;
const TEST_TOKEN = `0x${createHash('sha256').update('processor h, test token').digest('hex').slice(0, 40)}`;

const newEthereumAddress = () => `0x${randomBytes(20).toString('hex')}`;

const ASSETS: ReadonlyMap<string, Asset> = new Map([
  [
    'BTC',
    {
      decimals: 8,
      price: 58_000_0000n,
      // Pay to witness public key hash on the test network (BIP 173, BIP 141).
      newAddress: () => bech32.encode('tb', [0, ...bech32.toWords(randomBytes(20))]),
      // BIP 21
      uri: (address, units) => `bitcoin:${address}?amount=${decimal(units, 8)}`,
    },
  ],
  [
    'ETH',
    {
      decimals: 18,
      price: 2_900_0000n,
      newAddress: newEthereumAddress,
      // EIP-681: a plain payment, in wei.
      uri: (address, units) => `ethereum:${address}@${SEPOLIA}?value=${units}`,
    },
  ],
  [
    'USDT',
    {
      decimals: 6,
      price: 9_200n,
      newAddress: newEthereumAddress,
      // EIP-681: a transfer of a token (ERC-20).
      uri: (address, units) => `ethereum:${TEST_TOKEN}@${SEPOLIA}/transfer?address=${address}&uint256=${units}`,
    },
  ],
]);

/** Digits of a rate after those of its currency. */
const RATE_DECIMALS = 4;

/** Rate and address of a new invoice. The rate moves by half a percent from one invoice to the next, and never within one. */
export function newQuote(
  asset: string,
  currency: string,
): { asset: string; address: string; rate: string } | undefined {
  const known = ASSETS.get(asset);
  if (!known) return undefined;
  const exponent = exponentOf(currency);
  const scaled = (known.price * 10n ** BigInt(exponent) * BigInt(10_000 + randomInt(-50, 51))) / 10_000n;
  return { asset, address: known.newAddress(), rate: decimal(scaled, exponent + RATE_DECIMALS) };
}

/** What an amount costs at the rate of the quote, rounded up to the smallest part of the asset, and the link that pays it. */
export function assetDue(
  { asset, address, rate }: { asset: string; address: string; rate: string },
  amountMinor: bigint,
): { assetAmount: string; uri: string } {
  const known = ASSETS.get(asset);
  if (!known) throw new RangeError(`unknown asset ${asset}`);
  const perAsset = BigInt(rate.replace('.', ''));
  const units = amountMinor * 10n ** BigInt(RATE_DECIMALS) * 10n ** BigInt(known.decimals);
  const due = (units + perAsset - 1n) / perAsset;
  return { assetAmount: decimal(due, known.decimals), uri: known.uri(address, due) };
}

function decimal(units: bigint, decimals: number): string {
  const digits = units.toString().padStart(decimals + 1, '0');
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}
