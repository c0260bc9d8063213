const { runChild } = require('../../foundation/process/child.js');

runChild('tillway-simulator', async () => {
  const running = setInterval(() => undefined, 1_000);
  return async () => clearInterval(running);
});
