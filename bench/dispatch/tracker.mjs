// A tracker as a separate process. Its arguments are those of `warpfarm tracker`.
import { trackerMain } from "@warpfarm/tracker";

process.exit(await trackerMain(process.argv.slice(2)));
