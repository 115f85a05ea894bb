import { isRecord, parseJson } from '../../src/lib/trust.ts';
import type { Session } from './session.ts';

/** What can go wrong, at the press of a button, and what one then sees. */
export const TROUBLES = {
  drop: {
    label: 'Lose the next webhook',
    armed: 'The next webhook will be lost.',
    shows: 'The App finds it in GitHub’s log of deliveries, within five seconds here.',
  },
  twice: {
    label: 'Deliver the next webhook twice',
    armed: 'The next webhook will come twice.',
    shows: 'The second one is a duplicate, and changes nothing.',
  },
  'bad-gateway': {
    label: 'GitHub answers 502',
    armed: 'Two answers of GitHub will be 502.',
    shows: 'The App tries again, a little later each time.',
  },
  'model-hangs': {
    label: 'The model hangs',
    armed: 'One answer of the model will never come.',
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
};

const BAD_GATEWAYS = 2;

/** Whether a webhook brings what a person did. A reply comes with an empty review besides, which says nothing. */
function isByPerson(body: string): boolean {
  const payload = parseJson(body);
  if (!isRecord(payload)) return false;
  const { sender, review } = payload;
  const isEmpty = isRecord(review) && review['state'] === 'commented' && review['body'] === null;
  return isRecord(sender) && sender['type'] === 'User' && !isEmpty;
}

/** Nothing happens before a person acts: what the App asks by itself would use it up before the page shows it. */
export function createTroubleMaker({ github, model, changed }: Session): TroubleMaker {
  const waiting = new Set<Trouble>();
  github.deliveries.intercept(({ request }) => {
    if (!isByPerson(request.body)) return 'send';
    const now = new Set(waiting);
    waiting.clear();
    if (now.has('model-hangs')) model?.script({ fault: 'hang' });
    if (now.has('bad-gateway'))
      github.faults.add({ route: '*', kind: 'fail-before-apply', status: 502, times: BAD_GATEWAYS });
    if (now.has('drop')) return 'drop';
    return now.has('twice') ? 'duplicate' : 'send';
  });
  return {
    arm: (trouble) => {
      waiting.add(trouble);
      changed();
    },
    armed: () => [...waiting],
  };
}
