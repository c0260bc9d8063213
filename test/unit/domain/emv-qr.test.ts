import {
  checkSum,
  encodeMerchantCode,
  type MerchantCode,
  parseMerchantCode,
  readObjects,
} from '../../../src/domain/emv-qr';

/** The example of the EMV specification (Merchant-Presented Mode, annex). */
const EMV_EXAMPLE =
  '00020101021229300012D156000000000510A93FO3230Q31280012D15600000001030812345678520441115802CN5914BEST TRANSPORT6007BEIJING64200002ZH0104最佳运输0202北京540523.7253031565502016233030412340603***0708A60086670902ME91320016A0112233449988770708123456786304A13A';
/** The example of Banco Central do Brasil's manual of BR Codes. */
const BRAZILIAN_EXAMPLE =
  '00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-4266554400005204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***63041D3D';

const CODE: MerchantCode = {
  account: { guid: 'com.example.pay', merchantId: 'M0001' },
  categoryCode: '5311',
  merchantName: 'A shop',
  merchantCity: 'Lisboa',
  countryCode: 'PT',
  money: { amountMinor: 1_050n, currency: 'EUR' },
  reference: 'ORDER0001',
};

describe('the check sum', () => {
  it.each([
    ['123456789', '29B1'],
    [EMV_EXAMPLE.slice(0, -4), 'A13A'],
    [BRAZILIAN_EXAMPLE.slice(0, -4), '1D3D'],
  ])('of %s is %s', (content, sum) => {
    expect(checkSum(content)).toBe(sum);
  });
});

describe('reading', () => {
  it('reads the example of the specification, whose lengths count characters', () => {
    const objects = parseMerchantCode(EMV_EXAMPLE);
    expect(objects?.get('01')).toBe('12');
    expect(objects?.get('54')).toBe('23.72');
    expect(objects?.get('53')).toBe('156');
    expect(objects?.get('59')).toBe('BEST TRANSPORT');
    expect(readObjects(objects?.get('64') ?? '')?.get('01')).toBe('最佳运输');
    expect(readObjects(objects?.get('62') ?? '')?.get('07')).toBe('A6008667');
  });

  it('reads the Brazilian example', () => {
    const objects = parseMerchantCode(BRAZILIAN_EXAMPLE);
    expect(readObjects(objects?.get('26') ?? '')?.get('00')).toBe('br.gov.bcb.pix');
    expect(objects?.get('54')).toBeUndefined();
  });

  it.each([
    ['nothing', ''],
    ['another check sum', EMV_EXAMPLE.replace('A13A', 'A13B')],
    ['another amount', EMV_EXAMPLE.replace('23.72', '23.73')],
    ['no check sum', EMV_EXAMPLE.slice(0, -8)],
    ['something cut short', signed('00020152049')],
    ['an object twice', signed('000201520453115204531152')],
    ['an object that is empty', signed('0002015200')],
    ['another beginning', signed('010212000201')],
    ['another format', signed('000202')],
    ['a length that is none', signed('00020152x45311')],
  ])('does not read %s', (_title, payload) => {
    expect(parseMerchantCode(payload)).toBeUndefined();
  });
});

describe('writing', () => {
  it('writes what can be read', () => {
    const payload = encodeMerchantCode(CODE);
    expect(payload).toMatch(/^000201010212/);
    const objects = parseMerchantCode(payload);
    expect(Object.fromEntries(objects ?? [])).toEqual({
      '00': '01',
      '01': '12',
      '26': '0015com.example.pay0105M0001',
      '52': '5311',
      '53': '978',
      '54': '10.50',
      '58': 'PT',
      '59': 'A shop',
      '60': 'Lisboa',
      '62': '0509ORDER0001',
    });
  });

  it('keeps the decimals of the currency', () => {
    const amount = (currency: string) =>
      parseMerchantCode(encodeMerchantCode({ ...CODE, money: { amountMinor: 1_050n, currency } }))?.get('54');
    expect([amount('JPY'), amount('KWD')]).toEqual(['1050', '1.050']);
  });

  it.each([
    ['a name that is too long', { merchantName: 'x'.repeat(26) }],
    ['no city', { merchantCity: '' }],
    ['a reference that is too long', { reference: 'x'.repeat(26) }],
  ])('refuses %s', (_title, part) => {
    expect(() => encodeMerchantCode({ ...CODE, ...part })).toThrow(RangeError);
  });
});

function signed(content: string): string {
  return `${content}6304${checkSum(`${content}6304`)}`;
}
