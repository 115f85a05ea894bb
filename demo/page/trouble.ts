import { isRecord, parseJson } from '../../src/lib/trust.ts';
import type { Session } from './session.ts';

type TroubleButton = { readonly label: string; readonly armed: string; readonly shows: string };

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
    armed: 'GitHub’s next two answers will be 502.',
    shows: 'The App tries again, a little later each time.',
  },
  'model-hangs': {
    label: 'The model hangs',
    armed: 'The model’s next answer will never come.',
    shows: 'The App waits three seconds here, then asks again.',
  },
} as const satisfies Readonly<Record<string, TroubleButton>>;

export type Trouble = keyof typeof TROUBLES;

export function isTrouble(name: string): name is Trouble {
  return name in TROUBLES;
}

/** The troubles of one session. */
export type TroubleMaker = {
  readonly arm: (trouble: Trouble) => void;
  /** What is armed, and has not happened yet. */
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

export function createTroubleMaker({ github, model, changed }: Session): TroubleMaker {
  let webhook: 'drop' | 'twice' | null = null;
  github.deliveries.intercept(({ request }) => {
    const action = webhook;
    if (!isByPerson(request.body)) return 'send';
    webhook = null;
    if (action === 'drop') return 'drop';
    return action === 'twice' ? 'duplicate' : 'send';
  });
  return {
    arm: (trouble) => {
      if (trouble === 'drop' || trouble === 'twice') webhook = trouble;
      else if (trouble === 'model-hangs') model?.script({ fault: 'hang' });
      else github.faults.add({ route: '*', kind: 'fail-before-apply', status: 502, times: BAD_GATEWAYS });
      changed();
    },
    armed: () => [
      ...(webhook === null ? [] : [webhook]),
      ...(github.faults.pending().length > 0 ? (['bad-gateway'] as const) : []),
      ...((model?.remaining() ?? 0) > 0 ? (['model-hangs'] as const) : []),
    ],
  };
}
