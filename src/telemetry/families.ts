import { LANES } from '../run/effect.ts';
import { REASONS } from '../run/reason.ts';

/**
 * Counters of one name: what they count, and their labels with the values that are known beforehand (none: any may
 * come).
 */
export type Family<Label extends string> = {
  readonly name: string;
  readonly help: string;
  readonly labels: Readonly<Record<Label, readonly string[]>>;
};

/** Any value may come; none of it names a repository or a person. */
const ANY: readonly string[] = [];

/** All that is counted, in the order of the page. */
export const FAMILIES = {
  answers: {
    name: 'countersign_http_answers_total',
    help: 'HTTP answers by status.',
    labels: { status: ['200', '202', '400', '401', '404', '413', '500', '503'] },
  },
  deliveries: {
    name: 'countersign_deliveries_total',
    help: 'Webhooks by event and by what came of them.',
    labels: { event: ANY, outcome: ANY },
  },
  signals: {
    name: 'countersign_signals_total',
    help: 'Decided signals by reason.',
    labels: { reason: [...REASONS, 'put-aside'] },
  },
  effects: {
    name: 'countersign_effects_total',
    help: 'Attempts at effects by type; `again` comes back later.',
    labels: { effect: Object.keys(LANES), outcome: ['done', 'again'] },
  },
  waits: {
    name: 'countersign_github_waits_total',
    help: 'Waits for the limits of GitHub by who named the time.',
    labels: { by: ['budget', 'github'] },
  },
  sweeps: {
    name: 'countersign_sweeps_total',
    help: 'Searches for lost webhooks by result.',
    labels: { result: ['done', 'unfinished', 'failed', 'refused'] },
  },
  lost: {
    name: 'countersign_lost_deliveries_total',
    help: 'Lost webhooks that were found, by event and by what came of them.',
    labels: { event: ANY, outcome: ANY },
  },
} as const satisfies Readonly<Record<string, Family<string>>>;
