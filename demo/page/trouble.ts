import { isRecord, parseJson } from '../../src/lib/trust.ts';
import type { Session } from './session.ts';

/** What can go wrong, at the press of a button, and what one then sees. */
export const TROUBLES = {
  drop: {
    label: 'Lose the next webhook',
    armed: 'The next webhook will be lost.',
    happened: 'Last time it was lost, and the App found it in GitHub’s log of deliveries.',
    shows: 'The App finds it in GitHub’s log of deliveries, within five seconds here.',
  },
  twice: {
    label: 'Deliver the next webhook twice',
    armed: 'The next webhook will come twice.',
    happened: 'Last time it came twice, and the second one changed nothing.',
    shows: 'The second one is a duplicate, and changes nothing.',
  },
  'bad-gateway': {
    label: 'GitHub answers 502',
    armed: 'Two answers of GitHub will be 502.',
    happened: 'Last time GitHub answered 502, and the App tried again.',
    shows: 'The App tries again, a little later each time.',
  },
  'model-hangs': {
    label: 'The model hangs',
    armed: 'One answer of the model will never come.',
    happened: 'Last time an answer never came, and the App asked again.',
    shows: 'The App waits three seconds here, then asks again.',
  },
} as const;

export type Trouble = keyof typeof TROUBLES;

export function isTrouble(name: string): name is Trouble {
  return name in TROUBLES;
}

/** The troubles of one session. */
export type TroubleMaker = {
  readonly arm: (trouble: Trouble) => void;
  /** What happens at the next act of a person. */
  readonly armed: () => readonly Trouble[];
  /** What to expect of it, or what came of it the last time. */
  readonly tell: (trouble: Trouble) => string;
};

/** Whether a webhook brings what a person did. A reply comes with an empty review besides, which says nothing. */
function isByPerson(body: string): boolean {
  const payload = parseJson(body);
  if (!isRecord(payload)) return false;
  const { sender, review } = payload;
  const isEmpty = isRecord(review) && review['state'] === 'commented' && review['body'] === null;
  return isRecord(sender) && sender['type'] === 'User' && !isEmpty;
}

/** Nothing happens before a person acts: what the App asks by itself would use it up before the page shows it. */
export function createTroubleMaker({ github, model, changed, seen }: Session): TroubleMaker {
  const waiting = new Set<Trouble>();
  /** The webhook that each one befell. */
  const befell = new Map<Trouble, string>();
  github.deliveries.intercept(({ request, guid }) => {
    if (!isByPerson(request.body)) return 'send';
    const now = new Set(waiting);
    waiting.clear();
    for (const trouble of now) befell.set(trouble, guid);
    if (now.has('model-hangs')) model?.script({ fault: 'hang' });
    if (now.has('bad-gateway')) github.faults.add({ route: '*', kind: 'fail-before-apply', status: 502, times: 2 });
    if (now.has('drop')) return 'drop';
    return now.has('twice') ? 'duplicate' : 'send';
  });
  return {
    arm: (trouble) => {
      waiting.add(trouble);
      changed();
    },
    armed: () => [...waiting],
    tell: (trouble) => {
      const { armed, happened, shows } = TROUBLES[trouble];
      // An act that asks the model nothing leaves its hanging to a later one.
      if (waiting.has(trouble) || (trouble === 'model-hangs' && (model?.remaining() ?? 0) > 0)) return armed;
      const guid = befell.get(trouble) ?? '';
      return seen.some((one) => one.kind === 'line' && one.entry['delivery'] === guid) ? happened : shows;
    },
  };
}
