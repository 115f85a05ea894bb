import type { Need } from '../run/facts.ts';
import { filesWanted } from '../run/files-wanted.ts';

/** What GitHub would be asked for, without the changes that are worked out with it. */
export function needJson(need: Need): object {
  switch (need.kind) {
    case 'undone': {
      const { kind, commit, head, undoing } = need;
      const { path, from } = undoing.change;
      return { kind, commit, head, path, from };
    }
    case 'files': {
      const { kind, base, head, judging } = need;
      const waiting = judging.paths.flatMap((at) => at.waiting);
      return { kind, base, head, ...filesWanted([...waiting, ...judging.moves].map(({ change }) => change)) };
    }
    case 'own-text':
      return { kind: need.kind, head: need.head, path: need.own.change.path };
    default:
      return need;
  }
}
