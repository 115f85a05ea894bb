import { PHASES, wordsOf } from '../scenes/words.ts';
import type { SeenLine, SeenMessage, SeenStep } from './app-messages.ts';
import { type Html, html } from './html.ts';
import type { PullView } from './pull-view.ts';
import { TROUBLES, type Trouble } from './trouble.ts';

const MAX_ROWS = 60;

/** The drawer *Behind the scenes*: state machine, signals and effects, webhooks with reasons, and the model. */
export function renderBehind(view: PullView, armed: readonly Trouble[]): Html {
  const { seen, app, github } = view.session;
  const steps = seen.filter((one): one is SeenStep => one.kind === 'step' && one.pull === view.play.name);
  // Reports of checks come to every pull request, and matter where a run waits for them.
  const shown = steps.filter(({ reason }) => reason !== 'outdated-result');
  const lines = seen.filter((one): one is SeenLine => one.kind === 'line');
  const phase = steps.findLast((step) => step.phase !== null)?.phase ?? null;
  const pid = app.pid();
  return html`<aside class="behind" aria-label="Behind the scenes">
<h2>Behind the scenes <a class="button" href="?">Close</a></h2>
<div class="machine">${PHASES.map(([kind, words]) => html`<span class="phase${kind === phase && ' lit'}"${kind === phase && html` aria-current="step"`}>${words}</span>`)}</div>
<p class="when">App: ${app.state()}${pid !== null && html`, process ${pid}`}. ${armed.length > 0 && html`<strong>Next: ${armed.map((one) => TROUBLES[one].armed).join(' ')}</strong>`}</p>
<div class="behind-columns">
<section><h3>Signals and effects</h3><p class="when">The agent’s loop lives in no memory: each signal is decided alone, and stored with its effects in one transaction.</p><ol class="rows">${shown.slice(-MAX_ROWS).toReversed().map(renderStep)}</ol></section>
<section><h3>Webhooks</h3><p class="when">Each has exactly one reason.</p><ol class="rows">${github.deliveries.log
    .slice(-MAX_ROWS)
    .toReversed()
    .map((delivery) => renderDelivery(delivery, lines))}</ol></section>
<section><h3>The model</h3>${renderModel(steps)}</section>
${renderTroubleLines(lines)}</div></aside>`;
}

function renderStep({ at, signal, by, reason, effects }: SeenStep): Html {
  return html`<li><time>${clockOf(at)}</time> <strong>${signal}</strong>${by !== null && ` of ${by}`} → ${wordsOf(reason)} <code>${reason}</code>${effects.length > 0 && html`<div class="effects">${effects.map((effect) => html`<span class="badge">${effect}</span> `)}</div>`}</li>`;
}

type Delivery = PullView['session']['github']['deliveries']['log'][number];

/** The reason of the decision if it led to one, else of the door. */
function renderDelivery(delivery: Delivery, lines: readonly SeenLine[]): Html {
  const own = lines.filter(({ entry }) => entry['delivery'] === delivery.guid);
  const outcome = own.findLast(({ entry }) => entry['msg'] === 'delivery')?.entry['outcome'];
  const decided = own.findLast(({ entry }) => entry['msg'] === 'decided')?.entry['reason'];
  const reason = decided ?? outcome;
  const answers = delivery.statuses.map((status) => status ?? 'no answer');
  const isLost = reason === undefined && answers.every((status) => status !== 202);
  return html`<li class="${isLost && 'lost'}"><strong>${delivery.event}</strong>${delivery.action !== null && `.${delivery.action}`} → ${
    typeof reason === 'string'
      ? html`${wordsOf(reason)} <code>${reason}</code>`
      : isLost
        ? 'not heard yet; GitHub’s log still has it'
        : '…'
  }${answers.length > 1 && html` <span class="badge">sent ${answers.length} times</span>`}</li>`;
}

function renderModel(steps: readonly SeenStep[]): Html {
  const input = steps.reduce((sum, { tokens }) => sum + (tokens?.inputTokens ?? 0), 0);
  const output = steps.reduce((sum, { tokens }) => sum + (tokens?.outputTokens ?? 0), 0);
  const messages = steps.flatMap((step) => step.messages);
  return html`<p class="when">${input} tokens asked, ${output} answered.</p><ol class="rows">${messages.slice(-MAX_ROWS).toReversed().map(renderMessage)}</ol>`;
}

const ROLE_WORDS: Readonly<Record<string, string>> = {
  system: 'rules',
  user: 'asked',
  assistant: 'answered',
  tool: 'result of a call',
};

function renderMessage({ role, text, calls }: SeenMessage): Html {
  const first = text.trim().split('\n')[0] ?? '';
  return html`<li><details><summary><span class="badge">${ROLE_WORDS[role] ?? role}</span> ${first.slice(0, 90)} ${calls.map(({ name }) => html`<code>${name}</code> `)}</summary>${text !== '' && html`<pre>${text}</pre>`}${calls.map((call) => html`<pre>${call.name} ${call.text}</pre>`)}</details></li>`;
}

function renderTroubleLines(lines: readonly SeenLine[]): Html | null {
  const trouble = lines.filter(({ isTrouble }) => isTrouble).slice(-20);
  if (trouble.length === 0) return null;
  return html`<section><h3>What went wrong</h3><ol class="rows">${trouble.toReversed().map(({ at, entry }) => html`<li><time>${clockOf(at)}</time> ${String(entry['msg'])}</li>`)}</ol></section>`;
}

function clockOf(at: number): string {
  return new Date(at).toISOString().slice(11, 19);
}
