/**
 * For `node --import`: a call of a user's function that may take 5 s is ended after 1 s, so that tests of endless loops are
 * short.
 */
import { Script } from "node:vm";

const { runInThisContext } = Script.prototype;
Script.prototype.runInThisContext = function (options) {
  return runInThisContext.call(this, options?.timeout === 5000 ? { ...options, timeout: 1000 } : options);
};
