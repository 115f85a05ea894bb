import type { Operation, Outcome, WebhookEvent } from '../simulator/world/outcome.ts';
import type { World } from '../simulator/world/state.ts';
import type { Timeline } from './timeline.ts';

/** The simulated GitHub of one case, without a socket: its world, and who hears of what changes. */
export class Hub {
  world: World;
  readonly #timeline: Timeline;
  readonly #tell: (event: WebhookEvent) => void;

  constructor(world: World, timeline: Timeline, tell: (event: WebhookEvent) => void) {
    this.world = world;
    this.#timeline = timeline;
    this.#tell = tell;
  }

  /** Ms since the epoch. */
  get now(): number {
    return this.#timeline.now;
  }

  /** Does a write, and tells of it; a refusal changes nothing. */
  apply<Input, Value>(operation: Operation<Input, Value>, input: Input): Outcome<Value> {
    const outcome = operation(this.world, input, this.#timeline.now);
    this.world = outcome.state;
    for (const event of outcome.events) this.#tell(event);
    return outcome;
  }
}
