/** Output of a terminal when its session is paused, resumed, or gets more trials. */
import { expect, test } from "vitest";
import { followControl } from "./session-control.ts";

test("each change is said once, the budget follows, and nothing is missed while nothing can come", () => {
  const said: string[] = [];
  const held: boolean[] = [];
  const waiting = { held: (isHeld: boolean) => void held.push(isHeld) };
  const told = followControl({ write: (text) => said.push(String(text)) > 0 }, waiting, 100);
  told({ paused: false, moreTrials: 0 });
  expect([said, held]).toEqual([[], []]);
  told({ paused: true, moreTrials: 0 });
  told({ paused: true, moreTrials: 0 }); // a new stream
  expect([said.splice(0).join(""), held]).toEqual([
    expect.stringMatching(/^the session is paused at the tracker: [^\n]*\n$/),
    [true],
  ]);
  told({ paused: false, moreTrials: 50 });
  told({ paused: false, moreTrials: 50 });
  told({ paused: false, moreTrials: 51 });
  expect([said.splice(0), held]).toEqual([
    ["the session goes on\n", "50 more trials from the tracker: 150 in all\n", "1 more trial from the tracker: 151 in all\n"],
    [true, false],
  ]);
});
