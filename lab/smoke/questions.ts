import { z } from 'zod';
import { createClientFactory } from '../../src/adapters/github/requests/client.ts';
import type { PersonOnGitHub, Said } from './github.ts';
import type { Step } from './play.ts';

export type AppAccess = { readonly appId: string; readonly privateKey: string; readonly baseUrl: string };

type Pull = { readonly head: string; readonly task: Said };

type Options = {
  readonly person: PersonOnGitHub;
  /** Null where the App's key is not at hand: then its questions stay open. */
  readonly app: AppAccess | null;
  readonly now: () => number;
};

/** What the fakes assume, and only GitHub itself can tell. No answer fails the trial. */
const QUESTIONS: readonly { readonly name: string; readonly ask: (pull: Pull, asked: Asked) => Promise<string> }[] = [
  { name: 'is .invalid logged?', ask: isInvalidHostLogged },
  { name: 'are times equal?', ask: areTimesEqual },
  { name: 'does a new token work?', ask: doesYoungTokenWork },
  { name: 'are there buttons?', ask: areThereButtons },
];

type Asked = {
  readonly person: PersonOnGitHub;
  readonly client: ReturnType<ReturnType<typeof createClientFactory>>;
  readonly baseUrl: string;
};

export function createQuestions({ person, app, now }: Options): (pull: Pull) => Promise<readonly Step[]> {
  return async (pull) => {
    const answers: Step[] = [];
    for (const { name, ask } of QUESTIONS) {
      const begun = now();
      const note = await answer(app, person, now, (asked) => ask(pull, asked));
      answers.push({ name, ms: now() - begun, note, problem: null });
    }
    return answers;
  };
}

async function answer(
  app: AppAccess | null,
  person: PersonOnGitHub,
  now: () => number,
  ask: (asked: Asked) => Promise<string>,
): Promise<string> {
  if (app === null) return 'not asked: APP_ID and PRIVATE_KEY of the App are not set here';
  const { appId, privateKey, baseUrl } = app;
  const client = createClientFactory({ baseUrl, version: 'trial', now })({ appId, privateKey }, null);
  try {
    return await ask({ person, client, baseUrl });
  } catch (error) {
    return `no answer: ${error instanceof Error ? error.message : String(error)}`;
  }
}

async function isInvalidHostLogged(_pull: Pull, { client }: Asked): Promise<string> {
  const { data } = await client.request('GET /app/hook/config');
  const host = URL.parse(data.url ?? '')?.hostname ?? 'no address';
  const { data: log } = await client.request('GET /app/hook/deliveries', { per_page: 10 });
  if (!host.endsWith('.invalid')) return `not asked: the webhook leads to ${host}, and its log has ${log.length} rows`;
  return log.length > 0 ? `yes, as ${log[0]?.status_code} ${log[0]?.status}` : 'NO: its log is empty';
}

/** A delivery of a comment, as the log shows it. */
const Delivery = z.object({
  request: z.object({ payload: z.object({ comment: z.object({ id: z.number(), created_at: z.string() }) }) }),
});

async function areTimesEqual({ task }: Pull, { client, person }: Asked): Promise<string> {
  const { data: log } = await client.request('GET /app/hook/deliveries', { per_page: 100 });
  for (const { id } of log.filter(({ event, action }) => event === 'issue_comment' && action === 'created')) {
    // The typed method takes a number, but the id can exceed 2^53.
    const { data } = await client.request(`GET /app/hook/deliveries/${id}`);
    const comment = Delivery.safeParse(data).data?.request.payload.comment;
    if (comment?.id !== task.id) continue;
    const rest = await person.timeOf(task);
    return comment.created_at === rest ? `yes, ${rest}` : `NO: webhook ${comment.created_at}, REST ${rest}`;
  }
  return 'not asked: the log has no delivery of the task';
}

const YOUNG_TOKENS = 5;

async function doesYoungTokenWork({ head }: Pull, { client, person, baseUrl }: Asked): Promise<string> {
  const [owner = '', repo = ''] = person.repository.split('/');
  const { data: installation } = await client.request('GET /repos/{owner}/{repo}/installation', { owner, repo });
  const statuses: number[] = [];
  for (let count = 0; count < YOUNG_TOKENS; count += 1) {
    const route = 'POST /app/installations/{installation_id}/access_tokens';
    const { data } = await client.request(route, { installation_id: installation.id });
    const headers = { authorization: `token ${data.token}`, accept: 'application/vnd.github+json' };
    statuses.push((await fetch(`${baseUrl}/repos/${person.repository}/commits/${head}`, { headers })).status);
  }
  return statuses.every((status) => status === 200) ? `yes, ${YOUNG_TOKENS} of them` : `NO: ${statuses.join(', ')}`;
}

async function areThereButtons({ head }: Pull, { client, person }: Asked): Promise<string> {
  const { data: app } = await client.request('GET /app');
  const own = (await person.checkRuns(head)).find((run) => run.app?.id === app?.id);
  return own === undefined ? 'not asked: the App made no check here' : `look now for buttons at ${own.html_url}`;
}
