// A tracker as a process of its own, for tests that kill it. Built code: run `npm run build` first, as `npm test` does.
import { trackerMain } from "../dist/index.js";

process.exit(await trackerMain(process.argv.slice(2)));
