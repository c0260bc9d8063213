import { passwordBody } from '../../../src/api/identity/user-schema';

test.each([
  ['eleven characters', 'plum-orbit-', ['"password" length must be at least 12 characters long']],
  ['twelve characters', 'plum-orbit-l', undefined],
])('a password of a user, %s', (_title, password, refused) => {
  const { error } = passwordBody.validate({ token: 'a', password });
  expect(error?.details.map(({ message }) => message)).toEqual(refused);
});
