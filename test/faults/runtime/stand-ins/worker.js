const { runChild } = require('../src/foundation/process/child.js');

runChild('tillway-worker', async () => {
  const running = setInterval(() => undefined, 1_000);
  console.log(`sees the owner of the schema: ${process.env.DATABASE_ADMIN_URL !== undefined}`);
  return async () => {
    await new Promise((resolve) => setTimeout(resolve, 300));
    clearInterval(running);
    console.log('drained');
  };
});
