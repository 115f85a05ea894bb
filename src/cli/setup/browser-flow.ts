import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { escapeHtml } from '../../lib/format.ts';
import type { ModelChoice } from './env-file.ts';
import { type Choice, createManifest, type GitHubSite, MAX_NAME_LENGTH, registrationUrl } from './registration.ts';

type FlowInput = Choice & { readonly site: GitHubSite; readonly webhookUrl: string | null };

/** A registration that GitHub confirmed, and what the person chose beside it. */
type Registered = { readonly code: string; readonly form: Form };

/** A form of names and a key. */
const MAX_FORM_BYTES = 16 * 1024;

/** Serves the pages that lead a person to GitHub and back, on a free port of the loopback interface. */
export async function startBrowserFlow(input: FlowInput) {
  const state = randomBytes(16).toString('hex');
  const registered = Promise.withResolvers<Registered>();
  const finished = Promise.withResolvers<string>();
  let form: Form | null = null;
  const server = createServer((request, response) => {
    respond(request, response).catch(() => send(response, 400, problemPage('The request could not be read.')));
  });

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', `http://${request.headers.host}`);
    // Another site could point a name of its own to this address.
    if (request.headers.host !== hostOf(server))
      return send(response, 403, problemPage('Open the address that the terminal shows.'));
    if (request.method === 'POST' && url.pathname === '/register') return register(request, response);
    if (request.method === 'GET' && url.pathname === '/registered') return confirm(url.searchParams, response);
    if (request.method === 'GET' && url.pathname === '/')
      return send(response, 200, formPage({ ...input, ...form, problem: null }));
    return send(response, 404, problemPage('There is no such page.'));
  }

  async function register(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const isOwnForm = request.headers.origin === undefined || request.headers.origin === `http://${hostOf(server)}`;
    if (!isOwnForm) return send(response, 403, problemPage('The form comes from another page.'));
    form = toForm(new URLSearchParams(await readBody(request)));
    const problem = formProblem(form);
    if (problem !== null) return send(response, 422, formPage({ ...input, ...form, problem }));
    const redirectUrl = `http://${hostOf(server)}/registered`;
    const manifest = createManifest({ name: form.name, webhookUrl: input.webhookUrl, redirectUrl });
    const nonce = randomBytes(16).toString('base64');
    const address = registrationUrl(input.site, form.organization, state);
    return send(response, 200, handOverPage(address, manifest, nonce), [
      `script-src 'nonce-${nonce}'`,
      `form-action ${new URL(address).origin}`,
    ]);
  }

  async function confirm(query: URLSearchParams, response: ServerResponse): Promise<void> {
    const code = query.get('code') ?? '';
    if (query.get('state') !== state || form === null || !/^[\w-]{1,200}$/.test(code))
      return send(
        response,
        400,
        problemPage('This is no answer to the form: open the address that the terminal shows.'),
      );
    registered.resolve({ code, form });
    return send(response, 200, await finished.promise);
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://${hostOf(server)}/`,
    /** Resolves once GitHub has sent the browser back. */
    registered: registered.promise,
    /** The last page: where to install the App, or why it was not made. */
    finish: (outcome: { readonly installUrl: string } | { readonly problem: string }) =>
      finished.resolve('installUrl' in outcome ? donePage(outcome.installUrl) : problemPage(outcome.problem)),
    close: () => {
      server.close();
      server.closeIdleConnections();
    },
  };
}

function hostOf(server: Server): string {
  const address = server.address();
  return typeof address === 'object' && address !== null ? `127.0.0.1:${address.port}` : '';
}

function toForm(fields: URLSearchParams): Form {
  const text = (name: string): string => (fields.get(name) ?? '').trim();
  return {
    name: text('name'),
    organization: text('organization') === '' ? null : text('organization'),
    model: text('model'),
    apiKey: text('apiKey'),
    baseUrl: text('baseUrl'),
  };
}

function formProblem({ name, organization, model, apiKey, baseUrl }: Form): string | null {
  if (name === '' || name.length > MAX_NAME_LENGTH) return `The name must have 1 to ${MAX_NAME_LENGTH} characters.`;
  if (organization !== null && !/^[a-z\d][a-z\d-]{0,38}$/i.test(organization))
    return 'The organization must be its login, as in its address on GitHub.';
  const isPlain = [model, apiKey, baseUrl].every((value) => /^[!-~]*$/.test(value));
  if (!isPlain) return 'Model, key and endpoint must have no spaces and no characters beyond ASCII.';
  return baseUrl === '' || /^https?:$/.test(URL.parse(baseUrl)?.protocol ?? '')
    ? null
    : 'The endpoint must be an http:// or https:// address.';
}

async function readBody(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) {
    text += String(chunk);
    if (text.length > MAX_FORM_BYTES) throw new Error('The form is too large.');
  }
  return text;
}

function send(
  response: ServerResponse,
  status: number,
  body: string,
  policy: readonly string[] = ["form-action 'self'"],
): void {
  const csp = ["default-src 'none'", "style-src 'unsafe-inline'", "frame-ancestors 'none'", ...policy].join('; ');
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': csp,
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
  });
  response.end(body);
}

/** What the person sent from the first page. */
type Form = Choice & ModelChoice;

type PageInput = Choice & {
  /** The address of the webhook; null if the App hears from GitHub's log of deliveries. */
  readonly webhookUrl: string | null;
  readonly problem: string | null;
};

/** The first page: one form with one button. */
function formPage({ name, organization, webhookUrl, problem }: PageInput): string {
  const hears =
    webhookUrl === null
      ? 'It hears from GitHub’s log of deliveries, so this machine needs no address that GitHub can reach.'
      : `GitHub sends its events to <code>${escapeHtml(webhookUrl)}</code>.`;
  return page(
    'Set up Countersign',
    `<p>This makes a GitHub App of your own. GitHub asks you once more before it does. ${hears}</p>
${problem === null ? '' : `<p role="alert"><strong>${escapeHtml(problem)}</strong></p>`}
<form method="post" action="/register">
<label>Name of the App <input name="name" required maxlength="${MAX_NAME_LENGTH}" value="${escapeHtml(name)}"></label>
<label>Organization that owns it <input name="organization" value="${escapeHtml(organization ?? '')}" placeholder="empty: your own account"></label>
<fieldset><legend>The model, now or later in <code>.env</code></legend>
<label>Model <input name="model" placeholder="its name at the endpoint"></label>
<label>API key <input name="apiKey" type="password" autocomplete="off"></label>
<label>Endpoint <input name="baseUrl" placeholder="empty: OpenAI"></label></fieldset>
<button>Create the GitHub App</button>
</form>`,
  );
}

/** The page that carries the manifest to GitHub. It sends itself; without a script it has a button. */
function handOverPage(address: string, manifest: unknown, nonce: string): string {
  return page(
    'To GitHub',
    `<form method="post" action="${escapeHtml(address)}">
<input type="hidden" name="manifest" value="${escapeHtml(JSON.stringify(manifest))}">
<button>Continue to GitHub</button>
</form>
<script nonce="${nonce}">document.forms[0].submit()</script>`,
  );
}

/** The page after the registration. */
function donePage(installUrl: string): string {
  return page(
    'The App is registered',
    `<p>One step is left: <a href="${escapeHtml(installUrl)}">install it on a repository</a>. The terminal says what comes next.</p>`,
  );
}

function problemPage(problem: string): string {
  return page('This did not work', `<p role="alert">${escapeHtml(problem)}</p>`);
}

const STYLE =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:34rem;margin:3rem auto;padding:0 1rem;color-scheme:light dark}' +
  'label{display:block;margin:.75rem 0}input{display:block;width:100%;font:inherit;padding:.3rem;box-sizing:border-box}' +
  'fieldset{margin:1rem 0;border:1px solid #8886}button{font:inherit;padding:.5rem 1rem}';

function page(title: string, body: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${title}</title><style>${STYLE}</style><h1>${title}</h1>
${body}
</html>
`;
}
