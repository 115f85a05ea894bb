/** What people write to agree, in the ten commonest languages of pull requests. Words between slashes. */
const AFFIRMATIONS: readonly string[] = [
  'yes/y/yep/yeah/yup/ok/okay/k/sure/fine/agreed/agree/i agree/great/perfect/nice/cool/awesome/excellent',
  'lgtm/sgtm/ack/wfm/approve/approved/i approve/accept/accepted/confirmed/please/pls/thanks/thx/thank you/ty',
  'looks good/looks great/looks fine/looks right/looks ok/looking good/sounds good/sounds great/all good/good to go',
  'works/works great/that works/this works/fine by me/good/good job/well done/nice work/great work/makes sense',
  'ship it/shipit/go ahead/go for it/do it/please do/merge it/no objections/love it/absolutely/definitely/of course',
  'ja/jawohl/jep/passt/passt so/gut/sehr gut/sieht gut aus/einverstanden/genehmigt/super/danke/vielen dank/bitte',
  'oui/d accord/ça marche/ça me va/c est bon/parfait/très bien/bien/approuvé/merci',
  'sí/si/vale/de acuerdo/perfecto/muy bien/me parece bien/se ve bien/adelante/aprobado/gracias',
  'sim/certo/de acordo/perfeito/muito bem/parece bom/pode ser/aprovado/obrigado/obrigada',
  'да/ок/ага/хорошо/отлично/супер/согласен/согласна/одобряю/одобрено/выглядит хорошо/спасибо/годится',
  '是/是的/好/好的/行/可以/没问题/同意/批准/赞/谢谢/看起来不错/はい/了解/了解です/承認/承認します/いいね/いいですね/問題ありません',
  'हाँ/हां/ठीक है/अच्छा/सही है/स्वीकृत/धन्यवाद/نعم/موافق/تمام/حسنا/جيد/شكرا/네/예/좋아요/좋습니다/승인/승인합니다/감사합니다',
];

/** Words that say nothing by themselves beside an affirmation. */
const FILLERS = 'this/that/it/for me/to me/with me/by me/me/very/so/much/now/all/too/a lot/then/and/the change';

const PHRASES = AFFIRMATIONS.flatMap((line) => line.split('/')).toSorted(byLength);

function byLength(left: string, right: string): number {
  return right.length - left.length;
}

const ONLY_AFFIRMATIONS = ((): RegExp => {
  const fillers = FILLERS.split('/').toSorted(byLength);
  const any = [...PHRASES, ...fillers].join('|');
  return new RegExp(`^(?:(?:${fillers.join('|')}) )*(?:${PHRASES.join('|')})(?: (?:${any}))*$`, 'u');
})();

/** Longer lines say more than yes; a picture can have a long address. */
const MAX_CHARACTERS = { line: 1_000, words: 120 } as const;

/** Whether a line says no more than yes: in words, emoji, a picture, a number, or not at all. */
export function isAffirmation(line: string): boolean {
  if (line.length > MAX_CHARACTERS.line) return false;
  const words = line
    .toLowerCase()
    .replace(/!\[([^\]]{0,60})\]\([^)]{0,300}\)/g, '$1')
    .replace(/:[a-z0-9_+-]{1,40}:|@[a-z0-9-]+(?:\[bot\])?|[\uFE0F\u20E3]/g, ' ')
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .trim();
  if (words.length > MAX_CHARACTERS.words) return false;
  return words === '' || /^\d+$/.test(words) || ONLY_AFFIRMATIONS.test(words);
}
