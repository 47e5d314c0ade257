/** Imported before the files of the suite: they then run on a PostgreSQL server, started once and empty for each test. */
import { AsyncStack } from "@warpfarm/common";
import { afterAll, beforeEach } from "vitest";
import { isFull } from "../../test-support/campaign.ts";
import { startPostgres } from "../../test-support/farm/postgres.ts";
import { useStore } from "../../test-support/farm/scripted.ts";
import { has, needs } from "../../test-support/needs.ts";
import type { Database, Queryable } from "../src/store/database.ts";
import { openPostgres } from "../src/store/postgres.ts";

/** Tests of the short form: together they run every statement of the suite. */
const short: ReadonlySet<string> = new Set([
  "collection leaves what a follower still needs: its build, its program, its reference",
  "goes on when the first is gone before anything was built",
  "of a task come oldest first, page by page, whatever their arguments are",
  "travel in messages of at most 4 MiB, however large they are",
  "are shared: others see no session, user, labels; a private one its owner and admins alone; deleting is for admins",
  "tell what waits and since when by key, how busy devices are, how long dispatch and builds take, what was spared and what failed",
  "comes back and everybody has what they had, however long it was away",
  "is at its first attempt when its lease was taken back before anybody heard of it",
  "is not leased to a worker that is lost, though its epoch is the one that was seen",
  "ends when its node is undrained, and begins at once with the last fault",
  "keeps what it names from the collector until it is measured, and a closed session leaves its builds to who needs them",
  "inputs stored by a try whose answer was lost are the same, and those finished meanwhile are named",
  "a program sent with one input of a batch and named by another: both are for its target, and its build makes both ready",
  "go on only as what they are: another selector, other options or an unknown id open a new one; older streams are fenced off",
  "up to a sequence take that one too, and nothing that is not finished",
  "a last call beside one that still names a job: the last one counts",
  "a full store refuses what is new and loses nothing: what is built runs, what is not waits for garbage collection",
  "are not kept where a session asks for none, and go to an inbox where the tracker has one",
  "stops what runs, drops what waits, and tells its client why, now and later",
  "on demand keeps what was used within the time asked for",
  "a runner's limits are told to clients as it registered them; those no device can have are refused",
  "of one principal are at most its quota, also when it opens many at once; others open theirs",
  "waits for the build of each that it names, and takes what is built already at once",
  "takes a program's digest, and an artifact's in place of its program's; what is not here is named",
  "what a leaving worker had begun is a loss, what it had not is none; both go on at once",
  "by the tracker itself: what was received long ago goes, what waits to be received stays",
  "a builder that names what it did not upload is at fault, not the program",
  "a job well done wipes the faults before it",
  "a build that workers had not begun when they ended is as if never given to them, however often",
  "a run that workers had not begun when they ended is as if never given to them, however often",
  "go up and down by digest; wrong bytes and unknown digests are refused",
  "finishes what it has and gets nothing more, until it works again",
  "sets one aside of a session that is gone as well, and reads the queue past fifty of them",
  "sets a result with args with a lone surrogate aside, once, and writes everybody else's",
  "has a twin without config where it was measured interleaved, which others see with it",
  "stays with who said it: another program under a task's name, compared with itself",
  "that cannot replay a claim in three tries leave it with its owner, for a day; the log names it",
  "that leave hand a claim back as if never given",
  "that die with a claim lose it to the next one",
  "an admin frees a node whose workers are gone, and nobody else does",
  "while others wait for the same program: it is built again before anybody is told",
  "a lie is seen by its owner and admins alone, with the nodes that disagree, and an honest best is not replaced",
  "without a best the nearest shape's, scaled by operations, says what is expected: twice as fast is measured again",
  "a second node that goes away leaves the word to the first",
  "a failed build that one builder tells while there is another's is not shared, however true its claim is",
  "names what runs by the trial's place in its search, the default schedule by 0, and what is no search by its input",
  "on a model whose peaks are known a time is compared with what the program must do",
]);

/** What a statement sets, its family varies, and some of that only a busy machine brings. */
const familyOf = (sql: string): string => sql.replaceAll(/\bset\b[\s\S]*?(?=\bfrom\b|\bwhere\b|$)/g, "set ");

/** Statements that were run, by family, and those of them that tests of the short form ran. */
const statements = { all: new Set<string>(), short: new Set<string>() };
let isShort = false;

function noted<T extends Queryable>(of: T): T {
  const query: Queryable["query"] = (sql, params) => {
    statements.all.add(familyOf(sql));
    if (isShort) statements.short.add(familyOf(sql));
    return of.query(sql, params);
  };
  return { ...of, query };
}
const notedStore = (db: Database): Database => ({
  ...noted(db),
  lazy: noted(db.lazy),
  transaction: (work) => db.transaction((tx) => work(noted(tx))),
});

/** Statements that no test of the short form ran. */
export const unseen = (): readonly string[] => [...statements.all].filter((sql) => !statements.short.has(sql));

const opened = new AsyncStack();
if (has("postgres")) {
  const restore = useStore(async () => {
    const server = opened.use(await startPostgres());
    return notedStore(opened.use(await openPostgres(await server.create("farm"))));
  });
  opened.defer(restore);
}

beforeEach((ctx) => {
  needs(ctx, "postgres");
  isShort = short.has(ctx.task.name);
  if (!isFull && !isShort) ctx.skip("part of the campaign: all its statements are run by others");
});
afterAll(() => opened[Symbol.asyncDispose]());
