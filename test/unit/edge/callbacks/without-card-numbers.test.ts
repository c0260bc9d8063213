import { withoutCardNumbers } from '../../../../src/edge/callbacks/without-card-numbers';

test.each([
  ['{"pan":"4000000000003220"}', '{"pan":"400000******3220"}', 1],
  ['pan=4000 0000 0000 3220&x=1', 'pan=4000 00** **** 3220&x=1', 1],
  ['5555-5555-5555-4444 and 4242424242424242', '5555-55**-****-4444 and 424242******4242', 2],
  ['378282246310005', '378282*****0005', 1],
])('hides the card numbers in %j', (text, shown, hidden) => {
  expect(withoutCardNumbers(text)).toEqual({ text: shown, hidden });
});

test.each([
  'order 4000000000003221',
  'amount 1000',
  'pay_01jcxk3v8pe4xaz1w5kq9d2b7m',
  '40000000000032204000000000003220',
])('leaves %j as it is', (text) => {
  expect(withoutCardNumbers(text)).toEqual({ text, hidden: 0 });
});
