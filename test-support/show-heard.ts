/** After each test that failed: what the processes said that ran while it did. */
import { afterAll, afterEach } from "vitest";
import { forgetAll, forgetEnded, heard } from "./heard.ts";

// vitest runs this before it loads a file, and these hooks after all others of the file.
afterEach(({ task }) => {
  if (task.result?.state === "fail") for (const words of heard()) console.error(words);
  forgetEnded();
});
afterAll(forgetAll);
