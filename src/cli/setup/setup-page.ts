import { escapeHtml } from '../../lib/format.ts';
import type { ModelChoice } from './env-file.ts';
import { type Choice, MAX_NAME_LENGTH } from './registration.ts';

/** What the person sent from the first page. */
export type Form = Choice & ModelChoice;

type PageInput = Choice & {
  /** The address of the webhook; null if the App hears from GitHub's log of deliveries. */
  readonly webhookUrl: string | null;
  readonly problem: string | null;
};

/** The first page: one form with one button. */
export function formPage({ name, organization, webhookUrl, problem }: PageInput): string {
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
export function handOverPage(address: string, manifest: unknown, nonce: string): string {
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
export function donePage(installUrl: string): string {
  return page(
    'The App is registered',
    `<p>One step is left: <a href="${escapeHtml(installUrl)}">install it on a repository</a>. The terminal says what comes next.</p>`,
  );
}

export function problemPage(problem: string): string {
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
