import { type CustomerDependencies, customerRoutes } from '../../../../src/api/customers/routes';

test('API_BULK_BODY_LIMIT_BYTES bounds the body of a bulk creation', () => {
  const routes = customerRoutes({ bulkBodyLimitBytes: 12_345 } as CustomerDependencies);
  expect(routes.find(({ path }) => path.endsWith('/createBulk'))?.bodyLimit).toBe(12_345);
});
