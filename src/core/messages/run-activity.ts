import type { ModelDelay, Phase } from '../state/run.ts';
import { formatTime } from './shared/markdown.ts';

/** The activity of the active run, as a clause without a period; empty while it waits for people. */
export function activityText(phase: Phase): string {
  switch (phase.kind) {
    case 'reading-context':
      return `the model has been reading the pull request since ${formatTime(phase.since)}`;
    case 'awaiting-model':
      return phase.delay === null
        ? `the model has been thinking since ${formatTime(phase.since)}`
        : `${DELAY_CAUSES[phase.delay.cause]}; the next try is at ${formatTime(phase.delay.until)}`;
    case 'running-tools':
      return 'reading files for the model';
    case 'posting':
      return 'posting the proposed changes';
    case 'awaiting-decisions':
    case 'ended':
      return '';
  }
}

const DELAY_CAUSES = {
  'rate-limit': 'the model’s endpoint limits requests',
  unreachable: 'the model’s endpoint cannot be reached',
  failing: 'the model’s endpoint fails',
} as const satisfies Record<ModelDelay['cause'], string>;
