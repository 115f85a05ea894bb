import { ROLES } from '../scenes/people.ts';
import { SCENES, type Scene, type SceneStep } from '../scenes/scenes.ts';
import { avatar } from './comments.ts';
import { type Html, html } from './html.ts';
import { holds, openProposalOf } from './progress.ts';
import { addressOf, type PullView } from './pull-view.ts';
import type { Play, Session } from './session.ts';
import { isTrouble, TROUBLES, type TroubleMaker } from './trouble.ts';

/** Moves on to the first step that is not done. Steps that only look are done by a click. */
export function advance(session: Session, play: Play): void {
  for (let step = play.scene.steps[play.step]; step !== undefined; step = play.scene.steps[play.step]) {
    if (step.act.kind === 'look' || !holds(step.done, session.github, play)) return;
    play.step += 1;
  }
}

/** The comment that the next click of the guide is about; empty if there is none. */
export function focusOf({ play, session }: PullView): string {
  const act = play.scene.steps[play.step]?.act;
  if (act === undefined || !('path' in act)) return '';
  const entry = openProposalOf(session.github, play, act.path)?.entry;
  return entry === undefined ? '' : `${entry.kind === 'in-thread' ? 'discussion_r' : 'issuecomment-'}${entry.id}`;
}

/** The guide: what just happened, and what to click next. */
export function renderGuide(view: PullView): Html {
  const { play, session } = view;
  const { scene } = play;
  advance(session, play);
  if (scene.steps.length === 0) return renderFreePlay(view);
  const isOver = play.step >= scene.steps.length;
  const number = SCENES.indexOf(scene) + 1;
  return html`<section class="card guide" aria-live="polite"><div class="guide-story">Story ${number} of ${SCENES.length}</div><h2>${scene.title}</h2><p class="why">${scene.why}</p>
<ol class="steps">${scene.steps.map((step, index) => renderStep(view, step, index))}</ol>
${isOver && html`<p class="over"><strong>That was the story.</strong> Go on by yourself: this pull request is yours.</p>`}${renderNext(scene, isOver)}</section>`;
}

const WORKING = {
  starting: 'The App starts …',
  running: 'The agent is at work …',
  killed: 'The App is dead. Start it again under “Trouble”.',
} as const;

function renderStep(view: PullView, step: SceneStep, index: number): Html {
  const { play } = view;
  const words = html`${avatar(step.as)} <strong>${step.as}</strong> ${step.does}`;
  if (index < play.step) return html`<li class="done">${words}<p>${step.result}</p></li>`;
  if (index > play.step) return html`<li class="later">${words}</li>`;
  const isReady = play.clicked !== index && holds(step.ready, view.session.github, play);
  const says = 'body' in step.act && html`<p class="says">${step.act.body}</p>`;
  const before = play.scene.steps[index - 1];
  return html`<li class="now">${before !== undefined && html`<p class="before">${before.result}</p>`}<form method="post" action="/step"><input type="hidden" name="pull" value="${play.name}"><input type="hidden" name="step" value="${index}">${view.showsBehind && html`<input type="hidden" name="behind" value="1">`}<button class="button primary step"${!isReady && ' disabled'}>${words}</button></form>${says}${!isReady && html`<p class="working">${WORKING[view.session.app.state()]}</p>`}</li>`;
}

function renderNext(scene: Scene, isOver: boolean): Html {
  const next = SCENES[(SCENES.indexOf(scene) + 1) % SCENES.length];
  return html`<div class="guide-foot">${next !== undefined && playButton(next, isOver ? `Next story: ${next.title}` : 'Skip to the next story', isOver)} ${playButton(scene, 'Start again', false)} <a href="/">All stories</a></div>`;
}

function playButton({ id }: Scene, label: string, isPrimary: boolean): Html {
  return html`<form method="post" action="/play"><input type="hidden" name="scene" value="${id}"><button class="button${isPrimary && ' primary'}">${label}</button></form>`;
}

function renderFreePlay(view: PullView): Html {
  const [model, task] =
    view.session.model === null ? ['A real model answers.', 'and a task'] : [view.play.scene.note, 'tidy up'];
  return html`<section class="card guide"><h2>This pull request is yours</h2><p class="why">${model}</p><p>Write <code>/countersign</code> ${task} as ana at the end of the page, and decide on what the agent proposes.</p><div class="guide-foot"><a href="/">All stories</a></div></section>`;
}

/** Trouble at the press of a button. */
export function renderTrouble(view: PullView, maker: TroubleMaker): Html {
  const armed = maker.armed();
  const state = view.session.app.state();
  const names = Object.keys(TROUBLES).filter(isTrouble);
  const buttons = view.session.model === null ? names.filter((name) => name !== 'model-hangs') : names;
  const form = (name: string, label: string, className: string, isDisabled: boolean): Html =>
    html`<form method="post" action="/trouble"><input type="hidden" name="pull" value="${view.play.name}"><button class="button ${className}" name="trouble" value="${name}"${isDisabled && ' disabled'}>${label}</button></form>`;
  return html`<details class="card trouble"${(armed.length > 0 || state === 'killed') && ' open'}><summary><h2>Trouble</h2> <span class="when">break something on purpose</span></summary><p>Break something at the next act of a person. Nothing is lost, and nothing is committed twice.</p>
<ul>${buttons.map((name) => html`<li>${form(name, TROUBLES[name].label, armed.includes(name) ? 'armed' : '', false)}<p>${maker.tell(name)}</p></li>`)}
<li>${state === 'killed' ? form('start', 'Start the App again', 'primary', false) : form('kill', 'Kill the App now', 'danger', state === 'starting')}<p>${state === 'killed' ? 'It is dead. People can go on writing; it reads GitHub’s log of deliveries when it starts.' : 'Its process ends at once (SIGKILL), whatever it does.'}</p></li></ul></details>`;
}

/** Links to the drawer. */
export function renderBehindLink(view: PullView): Html {
  return html`<p class="behind-link"><a class="button" href="${addressOf(view, { showsBehind: !view.showsBehind })}">${view.showsBehind ? 'Close' : 'Open'} “Behind the scenes”</a></p>`;
}

/** The first page: what this is, and six stories to click. */
export function renderHome(session: Session, own: Scene | null): Html {
  return html`<main class="home" id="page"><h1>An AI agent that cannot change a byte without your countersignature</h1>
<p class="lead">Countersign is a GitHub App that works inside pull requests. It proposes every edit with its exact diff; people approve, deny or reply where they already work; only approved bytes are committed. Here the real App runs on your machine against a fake GitHub${session.model !== null && ', without an account or a key: a script plays the model, and nothing leaves this machine'}. You play all people.</p>
<p>Pick a story. Each takes a minute and at most five clicks.</p>
<ol class="cards">${own !== null && html`<li class="card story"><h2>${own.title}</h2><p>${own.why}</p>${playButton(own, 'Open', true)}</li>`}${
    session.model !== null &&
    SCENES.map(
      (scene, index) =>
        html`<li class="card story"><h2>${index + 1}. ${scene.title}</h2><p>${scene.why}</p>${playButton(scene, 'Play', own === null && index === 0)}</li>`,
    )
  }</ol>
<p class="when">Who is who: ${Object.entries(ROLES).map(([name, { is, can }]) => html`<span class="who">${avatar(name)} <strong>${name}</strong>, ${is}: ${can}.</span> `)}</p></main>`;
}
