import { hottest } from '../../../bench/flames';

test('the two operations that take the API most are drawn', () => {
  const table = [
    '| operation | API | worker |',
    '| --- | --- | --- |',
    '| capture | 9.50 | 30.00 |',
    '| 3-D Secure payment | 36.82 | 1.43 |',
    '| refund | 20.87 | 0.00 |',
  ];
  expect(hottest(table.join('\n'))).toEqual(['3-D Secure payment', 'refund']);
});
