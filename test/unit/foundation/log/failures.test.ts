import { isOutage } from '../../../../src/foundation/log/failures';

const coded = (code: unknown, message = 'it failed') => Object.assign(new Error(message), { code });

test.each<[string, unknown]>([
  ['a refused connection', coded('ECONNREFUSED')],
  ['refused at every address of a name', new AggregateError([coded('ECONNREFUSED'), coded('ECONNREFUSED')], '')],
  ['the same, wrapped', new Error('outer', { cause: new AggregateError([coded('ETIMEDOUT')]) })],
  ['a server that shuts down', coded('57P01')],
  ['a server that starts', coded('57P03')],
  ['a server whose database was dropped', coded('57P04')],
  ['a server without memory', coded('53200')],
  ['a server that cannot read its files', coded('58030')],
  ['a connection exception', coded('08006')],
  ['a lost connection', new Error('Connection terminated unexpectedly')],
  ['a lost connection, as knex says it', new Error('BEGIN; - Connection terminated unexpectedly')],
  ['the same with a statement of many lines', new Error('select 1\n  from "a" - Connection terminated unexpectedly')],
  [
    'a connection used after it was lost',
    new Error('x - Client has encountered a connection error and is not queryable'),
  ],
  ['a connection that was closed', new Error('Client was closed and is not queryable')],
  ['a statement that took too long', new Error('select 1 - Query read timeout')],
  [
    'a pool that gives none',
    Object.assign(new Error('Knex: Timeout acquiring a connection'), { name: 'KnexTimeoutError' }),
  ],
  ['a pool that was closed', new Error('Unable to acquire a connection')],
  ['a closed database', coded('55000', 'database "tillway" is not currently accepting connections')],
  ['an engine that is away', new Error('x', { cause: coded(14) })],
])('%s is an outage', (_, error) => {
  expect(isOutage(error)).toBe(true);
});

test.each<[string, unknown]>([
  ['a violated constraint', coded('23505', 'duplicate key value violates unique constraint')],
  ['a value that is out of range', coded('22003')],
  ['an object that is not ready', coded('55000', 'currval of sequence is not yet defined')],
  ['words in a statement', new Error('select "Connection terminated unexpectedly" - syntax error')],
  ['an unknown flow', coded(5)],
  ['a mistake of ours', new TypeError('x is not a function')],
  ['no error at all', 'Connection terminated unexpectedly'],
])('%s is none', (_, error) => {
  expect(isOutage(error)).toBe(false);
});

test('errors that cause each other end somewhere', () => {
  const error = new Error('a');
  error.cause = error;
  expect(isOutage(error)).toBe(false);
});
