const { createServer } = require('node:http');
const { runChild } = require('../foundation/process/child.js');

runChild('tillway-api', async () => {
  const server = createServer((_request, response) => response.end('ready'));
  await new Promise((resolve) => server.listen(Number(process.env.PORT), '127.0.0.1', resolve));
  return () => new Promise((resolve) => server.close(resolve));
});
