import { GitHubFault, ModelFault, WRITE_TIMEOUT_MS } from '../worker/ports.ts';
import type { Chance } from './chance.ts';
import { WRITES } from './github/writing-while.ts';
import type { Timeline } from './timeline.ts';
import type { FaultKind, Trace } from './trace.ts';

/** How often something goes wrong, for each call of a port. */
export type Weather = { readonly crash: number; readonly fault: number; readonly hang: number };

export const CALM: Weather = { crash: 0, fault: 0, hang: 0 };

/** What a process talks to. */
export type Side = 'store' | 'github' | 'model';

/** Longest time of one call of each side (ms). */
const LATENCY: Readonly<Record<Side, number>> = { store: 4, github: 700, model: 20_000 };
/** Calls that are few, and matter: how much more often they go wrong. */
const HARD_CALLS: Readonly<Record<string, number>> = { commit: 6, createReview: 4, saveDirect: 4 };
const REQUEST_TIMEOUT_MS = 15_000;
/** Past every lease. */
const HANG_MS = [5_000, 60_000] as const;

type Options = {
  readonly timeline: Timeline;
  readonly chance: Chance;
  readonly trace: Trace;
  readonly weather: () => Weather;
  /** The process is gone: whatever it had under way never goes on. */
  readonly onDeath: () => void;
  /** GitHub told the installation to wait until then (ms), as the adapter hears it. */
  readonly onLimit: (until: number) => Promise<void>;
};

/** One process of the product: every call of its ports stops here until its time has come, and may be its last. */
export class Replica {
  readonly name: string;
  readonly #options: Options;
  #alive = true;
  #hangsUntil = 0;

  constructor(name: string, options: Options) {
    this.name = name;
    this.#options = options;
  }

  get alive(): boolean {
    return this.#alive;
  }

  /** Whether it does anything now. */
  get awake(): boolean {
    return this.#alive && this.#hangsUntil <= this.#options.timeline.now;
  }

  /** Lets something happen later, if the process still lives then, and not while it hangs. */
  after(ms: number, run: () => void): void {
    const { timeline } = this.#options;
    timeline.after(ms, () => {
      if (!this.#alive) return;
      const left = this.#hangsUntil - timeline.now;
      if (left > 0) this.after(left, run);
      else run();
    });
  }

  /** A port that is this process's own: the same methods, each through `call`. */
  port<Port extends object>(side: Side, port: Port): Port {
    const calls = new Map<string | symbol, unknown>();
    return new Proxy(port, {
      get: (target, name) => {
        const known = calls.get(name);
        if (known !== undefined) return known;
        const method: unknown = Reflect.get(target, name);
        if (typeof method !== 'function') return method;
        const call = (...given: unknown[]) => this.call(side, String(name), () => Reflect.apply(method, target, given));
        calls.set(name, call);
        return call;
      },
    });
  }

  /** One call: some time passes, and it may be done, refused, or the last thing that the process ever did. */
  async call<Result>(side: Side, name: string, act: () => Promise<Result>): Promise<Result> {
    const { timeline, chance } = this.#options;
    const asked = timeline.now;
    await timeline.wait((goOn) => this.after(chance.part() ** 3 * LATENCY[side], goOn));
    refuseLate(side, name, timeline.now - asked);
    const fate = this.#fate(side, name);
    if (fate !== null) this.#options.trace.add({ kind: 'fault', fault: fate, where: `${this.name} ${side}.${name}` });
    switch (fate) {
      case 'crash-before':
        return this.#die();
      case 'crash-after':
        await act();
        return this.#die();
      case 'fault-before':
        throw faultOf(side, timeline.now, chance);
      case 'fault-after':
        await act();
        throw faultOf(side, timeline.now, chance);
      case 'limit': {
        const until = timeline.now + chance.between(1_000, 60_000);
        await this.#options.onLimit(until);
        throw new GitHubFault('a limit of the simulated GitHub', 429, until);
      }
      case 'hang':
        this.#hangsUntil = timeline.now + chance.between(...HANG_MS);
        await timeline.wait((goOn) => this.after(0, goOn));
        refuseLate(side, name, timeline.now - asked);
        return act();
      case null:
        return act();
    }
  }

  #fate(side: Side, name: string): Exclude<FaultKind, `delivery-${string}` | 'database-died' | 'stale-head'> | null {
    const { chance, weather } = this.#options;
    const { crash, fault, hang } = weather();
    const roll = chance.part() / (HARD_CALLS[name] ?? 1);
    if (roll < crash) return chance.pick(['crash-before', 'crash-after']);
    if (roll < crash + hang) return 'hang';
    if (roll >= crash + hang + fault) return null;
    return chance.pick(side === 'github' ? ['fault-before', 'fault-after', 'limit'] : ['fault-before', 'fault-after']);
  }

  /** Whoever waits for the answer waits for ever. */
  #die<Result>(): Promise<Result> {
    this.#alive = false;
    this.#options.onDeath();
    this.#options.timeline.rests();
    return new Promise(() => {});
  }
}

/** The product's own bound of a request: a process that hung before it was sent finds it aborted. */
function refuseLate(side: Side, name: string, ms: number): void {
  const most = WRITES.has(name) ? WRITE_TIMEOUT_MS : REQUEST_TIMEOUT_MS;
  if (side === 'github' && ms > most) throw new GitHubFault('the request was aborted', null, null);
}

function faultOf(side: Side, now: number, chance: Chance): Error {
  switch (side) {
    case 'store':
      return Object.assign(new Error('the simulated database went away'), { code: '57P01' });
    case 'github':
      return new GitHubFault('the simulated GitHub went away', chance.pick([null, 500, 502]), null);
    case 'model':
      return new ModelFault('passing', 'the simulated model went away', chance.happens(0.5) ? now + 5_000 : null);
  }
}
