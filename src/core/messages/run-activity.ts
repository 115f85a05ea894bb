import type { Phase } from '../state/run.ts';
import { formatTime } from './markdown.ts';

/** What the active run does, as a clause without a period; empty where it waits for people. */
export function activityText(phase: Phase): string {
  switch (phase.kind) {
    case 'reading-context':
      return `the model has been reading the pull request since ${formatTime(phase.since)}`;
    case 'awaiting-model':
      return `the model has been thinking since ${formatTime(phase.since)}`;
    case 'running-tools':
      return 'reading files for the model';
    case 'posting':
      return 'posting the proposed changes';
    case 'awaiting-decisions':
    case 'ended':
      return '';
  }
}
