import { PERSON_NAMES, type PersonName, ROLES } from '../scenes/people.ts';
import { renderBehind } from './behind.ts';
import { actionForm, avatar, loginOf } from './comments.ts';
import { focusOf, renderBehindLink, renderGuide, renderTrouble } from './guide.ts';
import { type Html, html } from './html.ts';
import { addressOf, type PullView, TABS } from './pull-view.ts';
import type { Session } from './session.ts';
import { renderCommits, renderConversation, renderFiles } from './tabs.ts';
import type { TroubleMaker } from './trouble.ts';
import type { createVerifier } from './verdicts.ts';

/** The whole document. `back` is the address to which choosing another person leads. */
export function renderDocument(
  title: string,
  session: Session,
  person: PersonName,
  back: string,
  content: Html,
): string {
  const state = session.app.state();
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${title}</title><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,"><link rel="stylesheet" href="/assets/markdown.css"><link rel="stylesheet" href="/assets/code-light.css" media="(prefers-color-scheme: light)"><link rel="stylesheet" href="/assets/code-dark.css" media="(prefers-color-scheme: dark)"><link rel="stylesheet" href="/assets/page.css"><script type="module" src="/assets/page.js"></script></head>
<body><header class="top"><a class="brand" href="/">✍ Countersign <span>demo</span></a><span class="app-state ${state}">App ${state}</span>
<form method="post" action="/as" class="people" aria-label="Act as"><input type="hidden" name="back" value="${back}"><span class="act-as">You act as</span>${PERSON_NAMES.map(
    (name) =>
      html`<button class="person" name="person" value="${name}" aria-pressed="${name === person ? 'true' : 'false'}" title="${name}, ${ROLES[name].is}: ${ROLES[name].can}">${avatar(name)} <span>${name} <small>${ROLES[name].is}</small></span></button>`,
  )}</form></header>${content}<div id="toast" role="status" aria-live="polite"></div></body></html>`.markup;
}

const TAB_WORDS = { conversation: 'Conversation', commits: 'Commits', files: 'Files changed' } as const;

/** The page of a pull request. */
export function renderPull(view: PullView, maker: TroubleMaker, verify: ReturnType<typeof createVerifier>): string {
  const { pull, play, session } = view;
  const tabs = TABS.map(
    (tab) =>
      html`<a class="tab" href="${addressOf(view, { tab })}"${tab === view.tab && html` aria-current="page"`}>${TAB_WORDS[tab]}</a>`,
  );
  const content = html`<main id="page" class="pull" data-focus="${focusOf(view)}"><div class="pull-head"><h1>${pull.title} <span class="number">#${pull.number}</span></h1>
<p><span class="state ${pull.state}">${pull.state === 'open' ? 'Open' : 'Closed'}</span> <strong>${loginOf(view, pull.authorId)}</strong> wants to merge <code>${play.branch}</code> into <code>${pull.base.branch}</code> of <strong>${play.name.split('#')[0] ?? ''}</strong>${pull.labels.map((name) => html` <span class="label">${name}</span>`)}</p></div>
<nav class="tabs" aria-label="Pull request">${tabs}</nav>
<div class="side">${renderGuide(view)}${renderTrouble(view, maker)}${renderBehindLink(view)}</div><div class="content">${renderTab(view, verify)}${view.tab === 'conversation' && renderClose(view)}</div>
${view.showsBehind && renderBehind(view, maker.armed())}</main>`;
  return renderDocument(`${pull.title} · ${play.name}`, session, view.person, addressOf(view), content);
}

function renderTab(view: PullView, verify: ReturnType<typeof createVerifier>): Html {
  if (view.tab === 'commits') return renderCommits(view, verify(view.play, view.pull.head.sha));
  return view.tab === 'files' ? renderFiles(view) : renderConversation(view);
}

function renderClose(view: PullView): Html | null {
  const { pull } = view;
  if (!view.canPush && pull.authorId !== view.actor.id) return null;
  const isOpen = pull.state === 'open';
  return actionForm(
    view,
    isOpen ? 'close' : 'reopen',
    {},
    html`<button class="button">${isOpen ? 'Close' : 'Reopen'} pull request</button>`,
  );
}
