/**
 * Memory that knows who used it. An access is refused if it and one that is not in its past touch one element, and one of them
 * changes the value; so whatever order the threads run in, the same programs are refused. Writing the value that is there already
 * changes nothing.
 */
import { type Buffer, bufferSpan, isFragmentScope } from "../../ir/buffer.ts";
import { createData, type TensorData } from "../../ir/numeric.ts";
import { InterpError } from "../error.ts";
import { type Access, isBefore, isFenced, isWaitedFor, type Moment } from "./clock.ts";
import { refusal, slotRefusal, unfenced } from "./refusal.ts";

/** Accesses by different agents; only the last one of each. */
type Users = Access | Map<number, Access> | undefined;

/** Who wrote an element: nobody (0), the run, or whoever gave the array. To write a given value again is a change. */
const [byRun, asGiven] = [1, 2];

export class Cells {
  readonly data: TensorData;
  readonly #buffer: Buffer;
  readonly #written: Uint8Array;
  readonly #isTracked: boolean;
  readonly #isFragment: boolean;
  /** By element: who changed it last, who has read its value or written it again since, and both of the value before. */
  readonly #writer: (Access | undefined)[] = [];
  readonly #users: Users[] = [];
  readonly #writerBefore: (Access | undefined)[] = [];
  readonly #usersBefore: Users[] = [];

  /** `isTracked`: others may use it too, and somebody writes it. */
  constructor(buffer: Buffer, isTracked: boolean, given?: TensorData) {
    this.#buffer = buffer;
    this.data = given ?? createData(buffer.dtype, bufferSpan(buffer));
    this.#written = new Uint8Array(this.data.length).fill(given ? asGiven : 0);
    this.#isTracked = isTracked;
    this.#isFragment = isFragmentScope(buffer.scope);
  }

  read(place: number, by: Access): number {
    this.#within(place);
    if (!this.#written[place])
      throw new InterpError("interp.uninitialised", `${this.#name(place)} is read, and nothing has written it`);
    if (this.#isFragment) this.#touchRegisters(place, by);
    else if (this.#isTracked) this.#read(place, by);
    return this.data[place] as number;
  }

  write(place: number, value: number, by: Access): void {
    this.#within(place);
    const old = this.data[place] as number;
    const same = this.#written[place] === byRun && (old === value || (Number.isNaN(old) && Number.isNaN(value)));
    if (this.#isFragment) this.#touchRegisters(place, by);
    else if (this.#isTracked) (same ? this.#writeAgain : this.#change).call(this, place, by);
    this.#written[place] = byRun;
    this.data[place] = value;
  }

  /** Of a slot that the reader holds: only what goes on after the reader has given it away needs to be known. */
  readSlot(place: number, by: Access): number {
    this.#within(place);
    if (!this.#written[place])
      throw new InterpError("interp.uninitialised", `${this.#name(place)} is read, and nothing has written it`);
    if (by.moment.kind !== "thread") this.#use(place, by);
    return this.data[place] as number;
  }
  /** A box comes to a slot that has been given away. */
  land(place: number, value: number, by: Access): void {
    this.#writer[place] = by;
    this.#users[place] = undefined;
    this.setOwn(place, value);
  }
  /** All have released the slot; the moment has what they had in their past. */
  giveAway(first: number, size: number, at: Moment): void {
    for (let place = first; place < first + size; place++) {
      const left = unordered(this.#users[place], at);
      if (left) throw slotRefusal(this.#name(place), left);
    }
  }

  /** The value of an element of a thread's own array; undefined = it has none. */
  own(place: number): number | undefined {
    return this.#written[place] ? this.data[place] : undefined;
  }
  setOwn(place: number, value: number | undefined): void {
    this.#written[place] = value === undefined ? 0 : byRun;
    this.data[place] = value ?? 0;
  }

  get unwritten(): number | undefined {
    const place = this.#written.indexOf(0);
    return place < 0 ? undefined : place;
  }

  #name = (place: number): string => `"${this.#buffer.name}"[${place}]`;

  #within(place: number): void {
    if (!(place >= 0 && place < this.data.length))
      throw new InterpError("interp.bounds", `${this.#name(place)} is outside its ${this.data.length} elements`);
  }

  /** Lanes keep fragments together, and who may read which element is checked elsewhere. What counts are products in flight. */
  #touchRegisters(place: number, by: Access): void {
    const { moment, isWrite } = by;
    const writer = this.#writer[place];
    if (writer && !isWaitedFor(writer, moment)) throw refusal(this.#name(place), by, writer);
    const reader = this.#users[place];
    if (isWrite && reader && !(reader instanceof Map) && !isWaitedFor(reader, moment))
      throw refusal(this.#name(place), by, reader);
    if (moment.kind !== "product") return;
    if (isWrite) this.#writer[place] = by;
    else this.#users[place] = by;
  }

  /** Some write of the present value must come before. */
  #read(place: number, by: Access): void {
    const writer = this.#writer[place];
    if (writer && needsFence(writer, by) && !isFenced(writer, by.moment)) throw unfenced(this.#name(place), by, writer);
    if (writer !== undefined && writer.moment !== by.moment && !isBefore(writer, by.moment)) {
      const users = this.#users[place];
      const again = users instanceof Map ? [...users.values()] : users ? [users] : [];
      if (!again.some((user) => user.isWrite && isBefore(user, by.moment))) throw refusal(this.#name(place), by, writer);
    }
    this.#use(place, by);
  }
  #change(place: number, by: Access): void {
    const writer = this.#writer[place];
    const users = this.#users[place];
    if (writer !== undefined && writer.moment !== by.moment && !isBefore(writer, by.moment))
      throw refusal(this.#name(place), by, writer);
    const left = unordered(users, by.moment);
    if (left) throw refusal(this.#name(place), by, left);
    this.#writerBefore[place] = writer;
    this.#usersBefore[place] = users;
    this.#writer[place] = by;
    this.#users[place] = undefined;
  }
  /** Another writes the value too. It comes after uses of the value before, as the first writer does. */
  #writeAgain(place: number, by: Access): void {
    const writer = this.#writer[place];
    if (writer?.moment === by.moment) return;
    if (writer !== undefined && !isBefore(writer, by.moment)) {
      const before = this.#writerBefore[place];
      const left = before && !isBefore(before, by.moment) ? before : unordered(this.#usersBefore[place], by.moment);
      if (left) throw refusal(this.#name(place), by, left);
    }
    this.#use(place, by);
  }

  #use(place: number, by: Access): void {
    const users = this.#users[place];
    if (users === undefined || users === by) this.#users[place] = by;
    else if (users instanceof Map) {
      const { agent } = by.moment;
      const known = users.get(agent);
      if (known !== by && !(known?.isWrite && known.moment === by.moment)) users.set(agent, by);
    } else if (users.moment.agent === by.moment.agent || (!users.isWrite && isBefore(users, by.moment))) {
      if (!(users.isWrite && users.moment === by.moment)) this.#users[place] = by;
    } else
      this.#users[place] = new Map([
        [users.moment.agent, users],
        [by.moment.agent, by],
      ]);
  }
}

/** A use that is not in the past of the moment. */
function unordered(users: Users, at: Moment): Access | undefined {
  if (users === undefined) return undefined;
  if (!(users instanceof Map)) return isBefore(users, at) ? undefined : users;
  for (const user of users.values()) if (!isBefore(user, at)) return user;
  return undefined;
}

/** The copy engine and products see what a thread of their block wrote only behind a fence. */
const needsFence = ({ moment: { kind, world } }: Access, { moment }: Access): boolean =>
  (kind === "thread" || kind === "copy") && moment.kind !== "thread" && moment.kind !== "copy" && moment.world === world;
