export default () => globalThis.stopTestServices?.();
