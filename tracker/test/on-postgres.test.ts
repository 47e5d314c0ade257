/** The tracker's suite once more, on a PostgreSQL server. What only processes and directories have to do with is not repeated. */
import "./on-postgres.testing.ts";
import "./admin.test.ts";
import "./artifacts.test.ts";
import "./measure-stream.test.ts";
import "./measurement.test.ts";
import "./old-stores.test.ts";
import "./reuse.test.ts";
import "./sessions.test.ts";
import "./workers.test.ts";
