import type { FakeCheckRun } from '../../fakes/github/state/github-state.ts';
import { actionForm } from './comments.ts';
import { type Html, html } from './html.ts';
import { renderMarkdown } from './markdown.ts';
import type { PullView } from './pull-view.ts';

/** The newest run of each name at the head; several lists of one App are runs of their own. */
function listRuns({ repository, pull }: PullView): readonly FakeCheckRun[] {
  const runs = [...repository.checkRuns.values()].filter(({ headSha }) => headSha === pull.head.sha);
  return [...new Map(runs.map((run) => [run.name, run])).values()];
}

const SIGNS: Readonly<Record<string, readonly [sign: string, className: string]>> = {
  success: ['✓', 'good'],
  failure: ['✗', 'bad'],
  timed_out: ['✗', 'bad'],
  startup_failure: ['✗', 'bad'],
  action_required: ['!', 'bad'],
  neutral: ['■', ''],
};

function renderRun(view: PullView, run: FakeCheckRun): Html {
  const { id, name, status, conclusion, output, annotations, actions, log } = run;
  const [sign, className] = conclusion === null ? ['●', 'running'] : (SIGNS[conclusion] ?? ['■', '']);
  const context = { webUrl: view.github.host.webUrl, anchor: null };
  const buttons = actions.map(({ label, description, identifier }) =>
    actionForm(
      view,
      'press',
      { id, identifier },
      html`<button class="button" title="${description}">${label}</button>`,
    ),
  );
  const title = html`<span class="check-sign ${className}">${sign}</span> <strong>${name}</strong> <span class="when">${conclusion ?? status.replace('_', ' ')}${output.title !== null && ` · ${output.title}`}</span>`;
  const parts = [output.summary, output.text].filter((part) => part !== null && part !== '');
  const isFailed = className === 'bad';
  return html`<li class="check" id="check-${id}"><details${isFailed && ' open'}><summary>${title}</summary><div class="markdown-body">${parts.map((part) => renderMarkdown(part ?? '', context))}</div>${annotations.map(
    (one) => html`<p class="annotation"><code>${one.path}:${one.startLine}</code> ${one.message}</p>`,
  )}${log !== null && html`<pre class="trailers">${Buffer.from(log).toString('utf8')}</pre>`}</details><span class="check-buttons">${buttons}</span></li>`;
}

/** The checks of the head with their buttons, as above the merge button on GitHub. */
export function renderChecks(view: PullView): Html | null {
  const runs = listRuns(view);
  if (runs.length === 0) return null;
  const isRunning = runs.some(({ status }) => status !== 'completed');
  const failed = runs.filter(({ conclusion }) => SIGNS[conclusion ?? '']?.[1] === 'bad');
  const words = isRunning
    ? 'Some checks have not completed yet'
    : failed.length > 0
      ? 'Some checks need attention'
      : 'All checks have passed';
  return html`<section class="card checks" id="checks"><h2>${words}</h2><ul>${runs.map((run) => renderRun(view, run))}</ul></section>`;
}
