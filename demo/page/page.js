// Keeps the page as the server draws it: fetches it after each change, and merges it into what is shown.
import { Idiomorph } from './idiomorph.js';

const toast = document.getElementById('toast');

function tell(text) {
  toast.textContent = text;
  toast.classList.add('shown');
  clearTimeout(tell.timer);
  tell.timer = setTimeout(() => toast.classList.remove('shown'), 6000);
}

function closeMenus(clicked = null) {
  for (const menu of document.querySelectorAll('details.menu[open]')) menu.open = menu.contains(clicked);
}

const isUnsaved = (node) =>
  (node instanceof HTMLTextAreaElement && node.value !== node.defaultValue) ||
  (node instanceof HTMLSelectElement && node.selectedIndex > 0);

let shown = '';

function merge(text, address) {
  if (address !== undefined && address !== location.href) history.pushState(null, '', address);
  // Much that happens is not on this view.
  if (text === shown) return;
  shown = text;
  const next = new DOMParser().parseFromString(text, 'text/html');
  document.title = next.title;
  Idiomorph.morph(document.body, next.body, {
    callbacks: {
      // What somebody opened stays open, and what somebody typed stays.
      beforeAttributeUpdated: (name, node) => !(name === 'open' && node instanceof HTMLDetailsElement),
      beforeNodeMorphed: (node) => !isUnsaved(node) && node.id !== 'toast',
    },
  });
  showFocus();
}

let focused = '';
let aimsUntil = 0;

// Leads the eye to the change that the guide's next click is about.
function showFocus() {
  const id = document.getElementById('page')?.dataset.focus ?? '';
  const target = document.getElementById(id);
  target?.classList.add('focus');
  const behavior = matchMedia('(prefers-reduced-motion: reduce)').matches ? 'instant' : 'smooth';
  if (id !== focused) aimsUntil = performance.now() + 1000;
  // What is drawn meanwhile, as a thread that closes above, moves the target.
  if (performance.now() < aimsUntil) target?.scrollIntoView({ block: 'center', behavior });
  focused = id;
}

let fetching = false;
let isStale = false;

async function refresh() {
  isStale = true;
  if (fetching) return;
  fetching = true;
  try {
    while (isStale) {
      isStale = false;
      const address = location.href;
      const text = await (await fetch(address)).text();
      if (location.href === address) merge(text);
    }
  } finally {
    fetching = false;
  }
}

async function submit(form, button) {
  const data = new FormData(form, button);
  // The server goes back to this view after an action of the page itself.
  const isHere = /^\/(act|trouble)$/.test(new URL(form.action).pathname);
  button?.setAttribute('aria-busy', 'true');
  try {
    const response = await fetch(form.action, { method: 'POST', body: new URLSearchParams(data) });
    const text = await response.text();
    if (!response.ok) return tell(text);
    form.reset();
    closeMenus();
    if (isHere) await refresh();
    else {
      const before = location.pathname;
      merge(text, response.url);
      if (location.pathname !== before) scrollTo(0, 0);
    }
  } catch {
    tell('The demo has ended. Start it again in the terminal.');
  } finally {
    button?.removeAttribute('aria-busy');
  }
}

document.addEventListener('submit', (event) => {
  event.preventDefault();
  submit(event.target, event.submitter);
});

// Ctrl+Enter sends a comment, as on GitHub.
document.addEventListener('keydown', (event) => {
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && event.target instanceof HTMLTextAreaElement)
    event.target.form?.requestSubmit();
  if (event.key === 'Escape') closeMenus();
});

document.addEventListener('click', (event) => closeMenus(event.target));

addEventListener('popstate', refresh);

// What happened before it could listen is fetched as soon as it does.
const events = new EventSource(`/events${location.search}`);
for (const name of ['open', 'message']) events.addEventListener(name, refresh);
