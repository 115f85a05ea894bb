import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import process from 'node:process';
import { type LocalHttpServer, readIncomingBody, startLocalServer } from '../../fakes/lib/http-server.ts';
import { isPersonName, type PersonName } from '../scenes/people.ts';
import { SCENES, type Scene } from '../scenes/scenes.ts';
import { type Fields, PageError, runAction, runSceneAct } from './actions.ts';
import { renderDocument, renderPull } from './frame.ts';
import { advance, renderHome } from './guide.ts';
import { addressOf, createPullView, type PullView, TABS } from './pull-view.ts';
import type { Play, Session } from './session.ts';
import { createTroubleMaker, isTrouble, type TroubleMaker } from './trouble.ts';
import { createVerifier } from './verdicts.ts';

/** The page of one session. `own` is the pull request that the person brought along. */
export type PageContext = {
  readonly session: Session;
  readonly own: Scene | null;
  readonly maker: TroubleMaker;
  readonly verify: ReturnType<typeof createVerifier>;
};

/** Serves the page on 127.0.0.1. Rejects if the port is taken. */
export function servePage(session: Session, own: Scene | null, port: number): Promise<LocalHttpServer> {
  const context = { session, own, maker: createTroubleMaker(session), verify: createVerifier(session) };
  session.onChange((isInside) => {
    if (isInside) return;
    for (const play of session.plays.values()) advance(session, play);
  });
  return startLocalServer((request, response) => {
    answer(context, request, response).catch((error: unknown) => {
      const isMistake = error instanceof PageError;
      if (!isMistake)
        process.stderr.write(`countersign demo: ${error instanceof Error ? error.stack : String(error)}\n`);
      const text = isMistake ? error.message : 'The page failed. The terminal has the error.';
      if (!response.headersSent) send(response, isMistake ? 422 : 500, 'text/plain; charset=utf-8', text);
    });
  }, port);
}

/** Nothing from elsewhere is loaded, run, framed or sent to. */
const HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
} as const;

function send(response: ServerResponse, status: number, type: string, body: string, maxAge?: number): void {
  const caching = maxAge === undefined ? {} : { 'cache-control': `max-age=${maxAge}` };
  response.writeHead(status, { ...HEADERS, ...caching, 'content-type': type }).end(body);
}

function redirect(response: ServerResponse, location: string, cookie?: string): void {
  response.writeHead(303, { ...HEADERS, location, ...(cookie === undefined ? {} : { 'set-cookie': cookie }) }).end();
}

/** Another site that a name leads here could read and press everything. */
function isFromHere({ headers }: IncomingMessage): boolean {
  const host = headers.host ?? '';
  const isLocal = /^(?:127\.0\.0\.1|localhost)(?::\d+)?$/.test(host);
  return isLocal && (headers.origin === undefined || headers.origin === `http://${host}`);
}

async function answer(context: PageContext, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://127.0.0.1');
  if (!isFromHere(request))
    return send(response, 403, 'text/plain; charset=utf-8', 'Open the page by its own address.');
  const person = personIn(request.headers.cookie ?? '');
  if (request.method === 'POST') {
    const body = Buffer.from(await readIncomingBody(request)).toString('utf8');
    return answerForm(context, person, url.pathname, Object.fromEntries(new URLSearchParams(body)), response);
  }
  const asset = ASSETS.get(url.pathname);
  const type = `text/${url.pathname.endsWith('.css') ? 'css' : 'javascript'}; charset=utf-8`;
  if (asset !== undefined) return send(response, 200, type, readFileSync(new URL(asset), 'utf8'), 60);
  if (url.pathname === '/events') return streamEvents(context, response, url.searchParams.has('behind'));
  const view = viewOf(context, person, url);
  if (view !== null) return send(response, 200, HTML_TYPE, renderPull(view, context.maker, context.verify));
  const { session, own } = context;
  const [status, title] = url.pathname === '/' ? [200, 'Countersign demo'] : [404, 'Not found'];
  send(response, status, HTML_TYPE, renderDocument(title, session, person, '/', renderHome(session, own)));
}

const HTML_TYPE = 'text/html; charset=utf-8';

function personIn(cookie: string): PersonName {
  const [, name = ''] = /(?:^|;\s*)person=(\w+)/.exec(cookie) ?? [];
  return isPersonName(name) ? name : 'ana';
}

/** `/owner/repo/pull/1`, with a tab behind it. Pages of files and commits lead to the tab that shows them. */
function viewOf({ session }: PageContext, person: PersonName, url: URL): PullView | null {
  const [, name, number, rest = ''] = /^\/([\w.-]+\/[\w.-]+)\/pull\/(\d+)(?:\/(\w+))?$/.exec(url.pathname) ?? [];
  const [, repository] = /^\/([\w.-]+\/[\w.-]+)\/(?:blob|commit|tree)\//.exec(url.pathname) ?? [];
  const plays = [...session.plays.values()];
  const play =
    repository === undefined
      ? session.plays.get(`${name}#${number}`)
      : plays.findLast((one) => one.name.startsWith(`${repository}#`));
  if (play === undefined) return null;
  const linked = url.pathname.includes('/commit/') ? 'commits' : 'files';
  const tab = repository === undefined ? (TABS.find((one) => one === rest) ?? 'conversation') : linked;
  const query = url.searchParams;
  const shown = { tab, isSplit: query.get('diff') === 'split', showsBehind: query.has('behind') };
  return createPullView({ session, play, person, ...shown });
}

async function answerForm(
  { session, own, maker }: PageContext,
  person: PersonName,
  path: string,
  fields: Fields,
  response: ServerResponse,
): Promise<void> {
  const back = fields['back'] ?? '';
  const backPath = /^\/(?!\/)/.test(back) ? back : '/';
  if (path === '/as') {
    const name = fields['person'] ?? '';
    if (!isPersonName(name)) throw new PageError('There is no such person.');
    return redirect(response, backPath, cookieOf(name));
  }
  if (path === '/play') {
    const scene = [...(own === null ? [] : [own]), ...SCENES].find(({ id }) => id === fields['scene']);
    if (scene === undefined) throw new PageError('There is no such story.');
    const play =
      (scene === own ? [...session.plays.values()].find((one) => one.scene === own) : undefined) ?? session.play(scene);
    return redirect(response, pathOf(play), cookieOf(scene.steps[0]?.as ?? 'ana'));
  }
  const play = session.plays.get(fields['pull'] ?? '');
  if (play === undefined) throw new PageError('There is no such pull request.');
  switch (path) {
    case '/act':
      runAction(session, play, person, fields['kind'] ?? '', fields);
      return redirect(response, pathOf(play));
    case '/step':
      return redirect(response, ...answerStep(session, play, Number(fields['step']), 'behind' in fields));
    case '/trouble':
      await makeTrouble(session, maker, fields['trouble'] ?? '');
      return redirect(response, pathOf(play));
    default:
      return send(response, 404, 'text/plain; charset=utf-8', 'There is no such page.');
  }
}

function cookieOf(name: PersonName): string {
  return `person=${name}; Path=/; SameSite=Strict; HttpOnly`;
}

function pathOf(play: Play, shown: Partial<Pick<PullView, 'tab' | 'showsBehind'>> = {}): string {
  return addressOf({ play, tab: 'conversation', isSplit: false, showsBehind: false, ...shown });
}

function answerStep(
  session: Session,
  play: Play,
  number: number,
  showsBehind: boolean,
): readonly [address: string, cookie?: string] {
  const step = play.scene.steps[play.step];
  const here = pathOf(play, { showsBehind });
  // A second click on the same button has nothing left to do.
  if (step === undefined || number !== play.step || play.clicked === number) return [here];
  runSceneAct(session, play, step.as, step.act);
  play.clicked = number;
  if (step.act.kind !== 'look') return [here, cookieOf(step.as)];
  play.step += 1;
  session.changed();
  return [pathOf(play, { tab: step.act.at, showsBehind }), cookieOf(step.as)];
}

async function makeTrouble(session: Session, maker: TroubleMaker, name: string): Promise<void> {
  if (name === 'kill') {
    await session.app.kill();
    session.changed();
  } else if (name === 'start') await session.restartApp();
  else if (isTrouble(name)) maker.arm(name);
  else throw new PageError('There is no such trouble.');
}

/** What changes within this time is told at once (ms), because each time the browser draws the page again. */
const JOIN_MS = 60;

/** Tells the browser that something changed; it then fetches the page again. */
function streamEvents({ session }: PageContext, response: ServerResponse, showsBehind: boolean): void {
  response.writeHead(200, { ...HEADERS, 'content-type': 'text/event-stream' });
  response.write('retry: 500\n\n');
  let timer: NodeJS.Timeout | null = null;
  const tell = (): void => {
    timer = null;
    response.write('data: changed\n\n');
  };
  const stop = session.onChange((isInside) => {
    if (!isInside || showsBehind) timer ??= setTimeout(tell, JOIN_MS);
  });
  response.on('close', () => {
    stop();
    if (timer !== null) clearTimeout(timer);
  });
}

const ASSETS = new Map([
  ['/assets/page.css', import.meta.resolve('./page.css')],
  ['/assets/page.js', import.meta.resolve('./page.js')],
  ['/assets/idiomorph.js', import.meta.resolve('idiomorph')],
  ['/assets/markdown.css', import.meta.resolve('github-markdown-css/github-markdown.css')],
  ['/assets/code-light.css', import.meta.resolve('highlight.js/styles/github.css')],
  ['/assets/code-dark.css', import.meta.resolve('highlight.js/styles/github-dark.css')],
]);
