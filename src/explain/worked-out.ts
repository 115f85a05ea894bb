import { ownText } from '../change/own-text.ts';
import type { Facts, Need } from '../run/facts.ts';
import { judgedFrom } from '../run/judging.ts';
import { NO_PLACE, ownTextOf } from '../run/own-text-of.ts';
import { reverseOf } from '../run/reverse.ts';
import type { RecordedFacts } from './read-state.ts';

/** The fact that a need asks for, where the files that it is worked out from were recorded; else null. */
export function workedOut(need: Need, { files, undone }: RecordedFacts): Partial<Facts> | null {
  switch (need.kind) {
    case 'files':
      return files === undefined ? null : { judged: judgedFrom(need.judging, files.atBase, files.atHead) };
    case 'undone':
      return undone === undefined ? null : { reverse: reverseOf({ ...need.undoing, seen: undone }) };
    case 'own-text': {
      const { path, base } = need.own.change;
      if (base !== null && files === undefined) return null;
      const own = ownTextOf(need.own, files?.atBase[path] ?? null);
      return { ownText: own === null ? NO_PLACE : ownText(own) };
    }
    default:
      return null;
  }
}
