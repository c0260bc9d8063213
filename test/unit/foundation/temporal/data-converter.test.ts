import { randomBytes } from 'node:crypto';
import type { Payload, SerializationContext } from '@temporalio/common';
import { EncryptionCodec } from '../../../../src/foundation/temporal/data-converter';
import { payloadConverter } from '../../../../src/foundation/temporal/payload-converter';
import { Keyring } from '../../../../src/foundation/vault/keyring';

const KEYS = `k1:${randomBytes(32).toString('base64')}`;
const codec = new EncryptionCodec(KEYS);
const flow = (workflowId: string): SerializationContext => ({ type: 'workflow', namespace: 'default', workflowId });
const step = (workflowId: string): SerializationContext => ({
  type: 'activity',
  namespace: 'default',
  workflowId,
  isLocal: true,
});

const VALUE = { reason: 'ticket 4711', amountMinor: 12n };
const plain = payloadConverter.toPayload(VALUE);
const sealedFor = async (context?: SerializationContext) => (await codec.encode([plain], context))[0]!;
const opened = async (payload: Payload, context?: SerializationContext) =>
  payloadConverter.fromPayload((await codec.decode([payload], context))[0]!);
const REFUSED = { $refused: expect.any(String) };

test('a payload is read in the workflow that it was written for, by flows, steps and clients', async () => {
  const sealed = await sealedFor(flow('payment/pay_1'));
  expect(Buffer.from(sealed.data!).toString('latin1')).not.toContain('4711');
  for (const context of [flow('payment/pay_1'), step('payment/pay_1'), undefined])
    expect(await opened(sealed, context)).toEqual(VALUE);
});

test('what belongs to another workflow is refused: a flow gets a mark in its place, a step fails', async () => {
  for (const sealed of [await sealedFor(flow('payment/pay_1')), await sealedFor(step('payment/pay_1'))]) {
    expect(await opened(sealed, flow('payment/pay_2'))).toEqual(REFUSED);
    await expect(opened(sealed, step('payment/pay_2'))).rejects.toThrow('it belongs to another workflow');
  }
});

test('the name of the workflow cannot be changed or taken away', async () => {
  const sealed = await sealedFor(flow('payment/pay_1'));
  const { 'bound-to': _, ...unnamed } = sealed.metadata!;
  const renamed = { ...sealed.metadata, 'bound-to': Buffer.from('payment/pay_2') };
  for (const metadata of [unnamed, renamed]) {
    expect(await opened({ ...sealed, metadata }, flow('payment/pay_2'))).toEqual(REFUSED);
    await expect(opened({ ...sealed, metadata })).rejects.toThrow('it was changed');
  }
});

test('what was not encrypted is refused, or was changed', async () => {
  expect(await opened(plain, flow('payment/pay_1'))).toEqual(REFUSED);
  await expect(opened(plain, step('payment/pay_1'))).rejects.toThrow('it was not encrypted by the platform');
  const sealed = await sealedFor(flow('payment/pay_1'));
  const data = Buffer.from(sealed.data!);
  data[data.length - 1]! ^= 1;
  expect(await opened({ ...sealed, data }, flow('payment/pay_1'))).toEqual(REFUSED);
});

test('a payload of the version before is read in any workflow', async () => {
  expect(await opened(await sealedFor(), flow('payment/pay_1'))).toEqual(VALUE);
});

test('the input of a schedule is read in the workflows that it starts, in no others', async () => {
  const started = 'scheduled/tsc_1-2026-11-23T01:46:00Z';
  expect(await opened(await sealedFor(flow(started)), step(started))).toEqual(VALUE);
  const sealed = await sealedFor(flow('scheduled/tsc_1'));
  expect(await opened(sealed, flow(started))).toEqual(VALUE);
  for (const other of [
    'scheduled/tsc_2-2026-11-23T01:46:00Z',
    'scheduled/tsc_1-2',
    'scheduled/tsc_1-2026-11-23T01:46:00Z/x',
  ])
    expect(await opened(sealed, flow(other))).toEqual(REFUSED);
});

test('a key that is gone is a fault of the settings, not of the payload', async () => {
  const other = new EncryptionCodec(`k2:${randomBytes(32).toString('base64')}`);
  const sealed = await sealedFor(flow('payment/pay_1'));
  await expect(other.decode([sealed], flow('payment/pay_1'))).rejects.toThrow('no key named k1');
});

test('a person is shown what is not encrypted as it is', () => {
  expect(codec.reveal([plain])).toEqual([plain]);
});

test('a keyring says which key is missing', () => {
  const sealed = new Keyring(KEYS, 'temporal-codec').seal(Buffer.from('x'), 'c');
  expect(() => new Keyring(`k2:${randomBytes(32).toString('base64')}`, 'x').requireKeyOf(sealed)).toThrow('k1');
});
