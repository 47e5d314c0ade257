/** The page: the user, the view that the address names, and whether the shown data are current. */
import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Me } from "../src/api.ts";
import { Answered, Link } from "./parts/basics.tsx";
import { applyTheme, chooseTheme, chosenTheme, type Theme, watchSystemTheme } from "./parts/theme.ts";
import { onSignedOut, post } from "./state/api.ts";
import { go, useAnswer, useLive, usePlace } from "./state/hooks.ts";
import { live, type Shown } from "./state/live.ts";
import "./style.css";
import { CompareView } from "./views/compare.tsx";
import { FleetView } from "./views/fleet.tsx";
import { QueueView } from "./views/queue.tsx";
import { RecordView } from "./views/record.tsx";
import { RunView } from "./views/run.tsx";
import { RunsView } from "./views/runs.tsx";
import { SignInView } from "./views/sign-in.tsx";
import { SuitesView, SuiteView } from "./views/suites.tsx";

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function ViewOf({ path, me }: { path: string; me: Me }) {
  const [, name = "", ...rest] = path.split("/").map(decoded);
  const id = rest.join("/");
  if (name === "") return <RunsView me={me} />;
  if (name === "run") return <RunView id={rest[0] ?? ""} tab={rest[1] ?? ""} me={me} />;
  if (name === "record") return <RecordView id={id} />;
  if (name === "compare") return <CompareView />;
  if (name === "fleet") return <FleetView me={me} />;
  if (name === "queue") return <QueueView />;
  if (name === "suites") return <SuitesView />;
  if (name === "suite") return <SuiteView id={id} />;
  return (
    <section class="notice">
      <h1>Nothing is here</h1>
      <p>
        {path} is no address of this page. <Link to="/">All runs</Link>
      </p>
    </section>
  );
}

function shownOn(path: string): Shown {
  const [, name = "", id = ""] = path.split("/").map(decoded);
  if (name === "run" && id !== "") return { see: "run", run: id };
  return { see: name === "" ? "runs" : name === "fleet" || name === "queue" ? name : "" };
}

function placeBefore(query: URLSearchParams): string {
  const to = query.get("to") ?? "/";
  return /^\/(?![/\\])/.test(to) && !to.startsWith("/sign-in") ? to : "/";
}

function App() {
  const { path, query } = usePlace();
  const [entered, setEntered] = useState(0);
  const answer = useAnswer<Me>("/api/me", entered);
  const me = answer.kind === "there" ? answer.value : undefined;
  // Why the user changed: the sign-in has ended.
  const [ended, setEnded] = useState<string>();
  const isIn = me !== undefined && ended === undefined && (me.principal !== "" || me.signIn !== "required");
  const shown = shownOn(path);
  const askAgain = () => setEntered((n) => n + 1);
  useEffect(
    () =>
      onSignedOut((words) => {
        live.end();
        setEnded(words);
        askAgain();
      }),
    [],
  );
  useEffect(() => {
    if (isIn) live.show(shown);
  }, [isIn, shown.see, shown.run]);
  // The address does not change, so the user continues where the sign-in expired.
  const goOn = () => {
    setEnded(undefined);
    askAgain();
    if (path === "/sign-in") go(placeBefore(query));
  };
  return (
    <>
      <a class="skip" href="#main">
        To the content
      </a>
      <Header me={me} path={path} onLeave={askAgain} />
      {isIn && <Staleness />}
      <main id="main" tabIndex={-1}>
        <Answered answer={answer} what="The page">
          {(known) =>
            isIn && path !== "/sign-in" ? (
              <ViewOf path={path} me={known} />
            ) : (
              <SignInView me={known} ended={ended} onEnter={goOn} />
            )
          }
        </Answered>
      </main>
    </>
  );
}

function Header({ me, path, onLeave }: { me: Me | undefined; path: string; onLeave: () => void }) {
  const views = [
    ["/", "Runs"],
    ...(me?.source === "tracker"
      ? [
          ["/fleet", "Fleet"],
          ["/queue", "Queue"],
          ["/suites", "Suites"],
        ]
      : []),
  ] as const;
  const isOn = (to: string) =>
    to === "/" ? path === "/" || path.startsWith("/run/") || path.startsWith("/record/") : path.startsWith(to.replace(/s$/, ""));
  return (
    <header>
      <span class="brand">Warpfarm</span>
      <nav aria-label="Views">
        {views.map(([to, words]) => (
          <Link key={to} to={to as string} isCurrent={isOn(to as string)}>
            {words}
          </Link>
        ))}
      </nav>
      <span class="grow" />
      <PauseButton />
      <ThemeSelect />
      {me !== undefined && me.signIn !== "none" && (
        <span class="who">
          {me.principal === "" ? (
            path !== "/sign-in" && <Link to={`/sign-in?to=${encodeURIComponent(path + location.search)}`}>Sign in</Link>
          ) : (
            <>
              {me.principal}
              {me.role === "admin" && " (admin)"}{" "}
              <button type="button" onClick={() => void post("/api/sign-out").finally(onLeave)}>
                Sign out
              </button>
            </>
          )}
        </span>
      )}
    </header>
  );
}

function PauseButton() {
  const [isPaused, setPaused] = useState(live.isPaused);
  return (
    <button
      type="button"
      aria-pressed={isPaused}
      onClick={() => {
        if (isPaused) live.resume();
        else live.pause();
        setPaused(!isPaused);
      }}
    >
      {isPaused ? "Resume updates" : "Pause updates"}
    </button>
  );
}

function ThemeSelect() {
  const [theme, setTheme] = useState(chosenTheme());
  return (
    <label class="theme">
      <span class="hidden">Theme</span>
      <select
        value={theme}
        onChange={(event) => {
          const chosen = (event.currentTarget as HTMLSelectElement).value as Theme;
          setTheme(chosen);
          chooseTheme(chosen);
        }}
      >
        <option value="auto">System</option>
        <option value="light">Light</option>
        <option value="dark">Dark</option>
      </select>
    </label>
  );
}

function Staleness() {
  const { staleSince, fault } = useLive();
  if (fault !== undefined)
    return (
      <p class="stale" role="status">
        No updates: {fault}
      </p>
    );
  if (staleSince === undefined) return null;
  return (
    <p class="stale" role="status">
      The connection is lost. What you see is of {new Date(staleSince).toLocaleTimeString()}; the page connects again by itself.
    </p>
  );
}

applyTheme();
watchSystemTheme();
render(<App />, document.getElementById("app") as HTMLElement);
