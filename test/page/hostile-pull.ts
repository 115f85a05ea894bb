import type { Scene } from '../../demo/scenes/scenes.ts';
import { toFiles } from '../../demo/scenes/shop.ts';

export const ATTACK = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>';

/** A pull request whose title, description, file names and code try to run something. */
export const HOSTILE_PULL: Scene = {
  id: 'own',
  title: 'A hostile pull request',
  why: `From ${ATTACK}`,
  repository: 'hostile',
  pullTitle: `Title ${ATTACK}`,
  pullBody: [
    ATTACK,
    '<style>body{display:none}</style><iframe src="/"></iframe><form action="/act"><input name="x"><button>press</button></form>',
    '<a href="javascript:window.hacked=1" style="position:fixed" onclick="window.hacked=1" class="top" id="page">a link</a>',
    '[another](javascript:window.hacked=1) ![picture](http://127.0.0.1:1/x.png)',
    `\`\`\`html\n${ATTACK}\n\`\`\``,
    `\`\`\`"><script>window.hacked=1</script>\nx\n\`\`\``,
  ].join('\n\n'),
  base: toFiles({ 'a.txt': 'a\n' }),
  head: toFiles({
    'a.txt': `${ATTACK}\n`,
    '<img src=x onerror=window.hacked=1>.ts': `const x = '</td></table>${ATTACK}';\n`,
  }),
  script: null,
  steps: [],
  test: null,
  note: '',
};
