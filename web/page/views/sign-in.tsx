import { useEffect, useRef, useState } from "preact/hooks";
import type { Me } from "../../src/api.ts";
import { post } from "../state/api.ts";

/** A token in, a cookie back. The token is kept nowhere. */
interface SignInProps {
  readonly me: Me;
  readonly ended: string | undefined;
  readonly onEnter: () => void;
}

export function SignInView({ me, ended, onEnter }: SignInProps) {
  const field = useRef<HTMLInputElement>(null);
  const [error, setError] = useState("");
  const [isBusy, setBusy] = useState(false);
  // The link that leads here is gone, and the focus with it.
  useEffect(() => field.current?.focus(), [ended]);
  const tell = ({ message }: Error) => setError(message);
  const enter = async (event: Event) => {
    event.preventDefault();
    const token = field.current?.value.trim() ?? "";
    if (token === "") return setError("A token is needed: the text that `warpfarm token create` printed.");
    setBusy(true);
    try {
      await post("/api/sign-in", { token });
      if (field.current) field.current.value = "";
      onEnter();
    } catch (failed) {
      tell(failed as Error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <section class="notice">
      <h1>Sign in</h1>
      {ended !== undefined && (
        <p role="status">You are not signed in any more: {ended}. Afterwards this page goes on where it was.</p>
      )}
      {me.refusal !== undefined ? (
        <p>{me.refusal}</p>
      ) : (
        <form onSubmit={(event) => void enter(event)}>
          <label>
            Token of a client or an admin
            <input
              ref={field}
              type="password"
              autocomplete="off"
              spellcheck={false}
              aria-invalid={error !== ""}
              aria-describedby="sign-in-error"
            />
          </label>
          <button type="submit" disabled={isBusy}>
            Sign in
          </button>
          {ended !== undefined && me.signIn === "possible" && (
            <button type="button" disabled={isBusy} onClick={() => void post("/api/sign-out").then(onEnter, tell)}>
              Go on without
            </button>
          )}
          <p id="sign-in-error" role="alert" class="bad">
            {error}
          </p>
          <p class="soft">
            An admin of the tracker makes tokens: <code>warpfarm token create client NAME --file TOKENS</code>
          </p>
        </form>
      )}
    </section>
  );
}
