import { isRecord } from '../../lib/trust.ts';
import { UnusableResponseError } from './error-meanings.ts';

/** Puts one streamed JSON value together. Its work grows with the size of the deltas, not with that of the value. */
type DeltaMerger = {
  /**
   * Adds a delta to what came before: texts are concatenated, objects are merged by member, and elements of lists by
   * their `index`. Null adds nothing. Throws an `UnusableResponseError` if the value becomes too large.
   */
  add(delta: unknown): void;
  value(): unknown;
};

/** Creates a merger that has no value yet. */
export function createDeltaMerger(): DeltaMerger {
  let whole: unknown;
  const budget: Budget = { comparisons: MAX_COMPARISONS };
  return {
    add: (delta) => {
      whole = mergeDelta(whole, delta, 0, budget);
    },
    value: () => toJson(whole),
  };
}

/** Members that name or label something. Endpoints repeat them in each delta, so they replace instead of adding up. */
const LABELS: ReadonlySet<string> = new Set(['format', 'id', 'index', 'name', 'object', 'role', 'type']);

/** Beyond this depth a delta replaces what there is, so that hostile nesting does not exhaust the stack. */
const MAX_DEPTH = 32;

/** Maximum number of members of an object, and of elements with an index in a list. Some thoughts come without one. */
const MAX_ENTRIES = 1_000;

/** Elements of one index are compared in turn. An answer hardly needs more than one comparison a delta. */
const MAX_COMPARISONS = 2_000_000;

type Budget = { comparisons: number };

type JsonObject = Readonly<Record<string, unknown>>;

/** An object that deltas add to. A map keeps a member named `__proto__` an ordinary one. */
type Members = Map<string, unknown>;

/** A list that deltas add to. */
class MergedList {
  readonly elements: Element[] = [];
  readonly #byIndex = new Map<number, Element[]>();
  #indexed = 0;

  add(element: Element, index: unknown): void {
    this.elements.push(element);
    if (typeof index !== 'number') return;
    const sharing = this.#byIndex.get(index);
    if (sharing === undefined) this.#byIndex.set(index, [element]);
    else sharing.push(element);
    this.#indexed += 1;
    checkEntries(this.#indexed);
  }

  /** The newest element that a delta of this index belongs to. */
  find(index: unknown, labels: Labels, budget: Budget): Element | undefined {
    const sharing = typeof index === 'number' ? this.#byIndex.get(index) : undefined;
    return sharing?.findLast((element) => isSameElement(element, labels, budget));
  }
}

type Labels = { id: unknown; type: unknown };

type Element = Labels & { value: unknown };

/** The value after a delta. Objects and lists that were merged before are changed in place. */
function mergeDelta(whole: unknown, delta: unknown, depth: number, budget: Budget): unknown {
  if (delta === null || delta === undefined) return whole;
  if (depth >= MAX_DEPTH) return delta;
  if (Array.isArray(delta)) return mergeList(toList(whole, depth, budget), delta, depth, budget);
  if (whole === null || whole === undefined) return delta;
  if (typeof whole === 'string' && typeof delta === 'string') return whole + delta;
  return isRecord(whole) && isRecord(delta) && !(whole instanceof MergedList)
    ? mergeObject(whole instanceof Map ? whole : new Map(Object.entries(whole)), delta, depth, budget)
    : delta;
}

function mergeObject(members: Members, delta: JsonObject, depth: number, budget: Budget): Members {
  for (const [name, value] of Object.entries(delta)) {
    const before = members.get(name);
    members.set(name, LABELS.has(name) ? relabel(before, value) : mergeDelta(before, value, depth + 1, budget));
    checkEntries(members.size);
  }
  return members;
}

/** Some endpoints send an empty or null id or name in every delta but the first. */
function relabel(before: unknown, value: unknown): unknown {
  return isUnset(value) ? (before ?? value) : value;
}

function toList(whole: unknown, depth: number, budget: Budget): MergedList {
  if (whole instanceof MergedList) return whole;
  const list = new MergedList();
  return Array.isArray(whole) ? mergeList(list, whole, depth, budget) : list;
}

function mergeList(list: MergedList, delta: readonly unknown[], depth: number, budget: Budget): MergedList {
  for (const value of delta) {
    const { index, id, type }: JsonObject = isRecord(value) ? value : {};
    const element = list.find(index, { id, type }, budget);
    if (element === undefined) list.add({ value, id, type }, index);
    else {
      element.value = mergeDelta(element.value, value, depth + 1, budget);
      element.id = relabel(element.id, id);
      element.type = relabel(element.type, type);
    }
  }
  return list;
}

/** Some endpoints count several calls or kinds of thoughts with one index; their ids or types tell them apart. */
function isSameElement(element: Element, delta: Labels, budget: Budget): boolean {
  budget.comparisons -= 1;
  if (budget.comparisons < 0) throw tooLarge('too many elements with one index');
  return isSameLabel(element.id, delta.id) && isSameLabel(element.type, delta.type);
}

function isSameLabel(one: unknown, other: unknown): boolean {
  return isUnset(one) || isUnset(other) || one === other;
}

function isUnset(label: unknown): boolean {
  return label === undefined || label === null || label === '';
}

function checkEntries(count: number): void {
  if (count > MAX_ENTRIES) throw tooLarge(`a list or object of more than ${MAX_ENTRIES} entries`);
}

function tooLarge(what: string): UnusableResponseError {
  return new UnusableResponseError('unreadable-answer', `the answer has ${what}`);
}

function toJson(value: unknown): unknown {
  if (value instanceof MergedList) return value.elements.map((element) => toJson(element.value));
  if (!(value instanceof Map)) return value;
  return Object.fromEntries([...value].map(([name, member]) => [String(name), toJson(member)]));
}
