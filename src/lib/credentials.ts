/** Replacement for a credential. */
export const REDACTED = '[redacted]';

/**
 * Patterns of credentials by their names. They also match inside JSON, where a line break is `\n`. Each runs in linear
 * time, because the text can be hostile.
 */
const CREDENTIAL_PATTERNS: Readonly<Record<string, RegExp>> = {
  // Up to the END line, also through quotes, comments, headers and diff signs. Without one, as far as the key's letters.
  'a private key':
    /-----BEGIN [A-Z0-9 ]{0,20}PRIVATE KEY(?: BLOCK)?-----(?:(?:(?!-----)[\s\S]){0,20000}-{5,6}END [A-Z0-9 ]{0,20}PRIVATE KEY(?: BLOCK)?-----|(?:[A-Za-z0-9+/=\s]|\\n|\\r)*)/,
  'a GitHub token': /gh[a-z]_[A-Za-z0-9._-]{10,}|github_pat_[A-Za-z0-9_]{10,}/,
  'a GitLab token': /\bgl(?:pat|dt|rt|ptt|soat)-[A-Za-z0-9_-]{20,}/,
  'an AWS access key': /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/,
  'a Google key': /\bAIza[A-Za-z0-9_-]{35}|\bGOCSPX-[A-Za-z0-9_-]{20,}/,
  'an Azure storage key': /\bAccountKey=[A-Za-z0-9+/=]{40,}/,
  'a Slack token': /\bxox[a-z]-[A-Za-z0-9-]{10,}|\bxapp-\d-[A-Za-z0-9-]{10,}/,
  'a Slack webhook': /(?<=\/\/)hooks\.slack\.com\/services\/[A-Za-z0-9/]{20,}/,
  // These keys always contain digits; names such as `sk-learn-…` rarely do. Here and below the lookahead stops at the
  // start of another key, so that many starts in a row do not take quadratic time.
  'an OpenAI or Anthropic key': /\bsk-(?=(?:(?!-sk-)[A-Za-z0-9_-]){0,200}\d)[A-Za-z0-9_-]{16,}/,
  'a Hugging Face token': /\bhf_[A-Za-z0-9]{30,}/,
  'a Stripe key': /\b(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{10,}|\bwhsec_[A-Za-z0-9+/=]{20,}/,
  'an npm token': /\bnpm_[A-Za-z0-9]{36}/,
  'a PyPI token': /\bpypi-[A-Za-z0-9_-]{16,}/,
  'a RubyGems key': /\brubygems_[0-9a-f]{48}/,
  'a Docker token': /\bdckr_(?:pat|oat)_[A-Za-z0-9_-]{20,}/,
  'a SendGrid key': /\bSG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,}/,
  'a Mailgun key': /\bkey-[0-9a-f]{32}\b/,
  'a Twilio key': /\bSK[0-9a-f]{32}\b/,
  'a Shopify token': /\bshp(?:at|ca|pa|ss)_[0-9a-f]{32}/,
  'a DigitalOcean token': /\bdo[opr]_v1_[0-9a-f]{64}/,
  'a Databricks token': /\bdapi[0-9a-f]{32}\b/,
  'a Vault token': /\bhv[sbr]\.[A-Za-z0-9_-]{20,}/,
  'an Atlassian token': /\bATATT3[A-Za-z0-9_=-]{20,}/,
  'a Linear key': /\blin_api_[A-Za-z0-9]{30,}/,
  'a Postman key': /\bPMAK-[0-9a-f]{24}-[0-9a-f]{34}/,
  'a Grafana token': /\bgl(?:sa|c)_[A-Za-z0-9_=+/]{30,}/,
  'a New Relic key': /\bNRAK-[A-Z0-9]{27}/,
  'a Sentry token': /\bsntry[su]_[A-Za-z0-9_=+/]{40,}/,
  'a Figma token': /\bfigd_[A-Za-z0-9_-]{30,}/,
  'an age key': /\bAGE-SECRET-KEY-1[0-9A-Z]{58}/,
  // The value can be on the line below, also as a block of YAML or as the `value` of an entry with this `name`.
  'an AWS secret key':
    /\baws_?secret_?access_?key\\?['"]?\s{0,4}(?:[:=]{1,2}|,?(?:\s|\\[nrt]){0,40}\\?['"]?value\\?['"]?\s{0,4}[:=])(?:\s|\\[nrt]){0,40}(?:(?:[>|][-+]?|\\)(?:\s|\\[nrt]){1,40})?\\?['"]?[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+])/i,
  'a Telegram token': /\b\d{8,10}:AA[A-Za-z0-9_-]{33}/,
  'a JSON web token': /\beyJ(?:(?!-eyJ)[A-Za-z0-9_-]){8,500}\.[A-Za-z0-9_-]{8,2000}\.[A-Za-z0-9_-]{8,}/,
  'a password in an address': /(?<=\/\/)[^\s/"'@:]*:[^\s/"'@]*(?=@)/,
};

/**
 * Narrower patterns for files, where the general ones also match names such as `weight_decay_factor` and addresses with
 * placeholders.
 */
const NARROWER_IN_FILES: Readonly<Record<string, RegExp>> = {
  'a GitHub token':
    /(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))gh[a-z]_(?=[a-z._-]{0,40}[A-Z0-9])[A-Za-z0-9._-]{16,}|gh[a-z]_[A-Za-z0-9]{36}[A-Za-z0-9._-]*|github_pat_[A-Za-z0-9_]{10,}/,
  'a PyPI token': /\bpypi-(?=[a-z_-]{0,40}[A-Z0-9])[A-Za-z0-9_-]{16,}/,
  'a password in an address':
    /(?<=\/\/)[^\s/"'@:]*:(?!(?:\$?\{[^\s/"'@]*\}|\$[A-Z_]+|<[^\s/"'@]*>|%s|\*+)@)[^\s/"'@]+(?=@)/,
};

const FILE_PATTERNS: Readonly<Record<string, RegExp>> = { ...CREDENTIAL_PATTERNS, ...NARROWER_IN_FILES };

const ANY_CREDENTIAL = anyOf(CREDENTIAL_PATTERNS);

const ANY_IN_FILES = anyOf(FILE_PATTERNS);

function anyOf(patterns: Readonly<Record<string, RegExp>>): RegExp {
  return new RegExp(
    Object.values(patterns)
      .map(({ source, flags }) => (flags.includes('i') ? `(?i:${source})` : source))
      .join('|'),
    'g',
  );
}

/** The text with every credential replaced. */
export function redactCredentials(text: string): string {
  return text.replace(ANY_CREDENTIAL, REDACTED);
}

/** Where a file's text has credentials, in order. A marker of a private key without a key is none. */
export function findSecretRanges(text: string): readonly SecretRange[] {
  const ranges: SecretRange[] = [];
  ANY_IN_FILES.lastIndex = 0;
  for (let found = ANY_IN_FILES.exec(text); found !== null; found = ANY_IN_FILES.exec(text)) {
    const { 0: match, index: start } = found;
    const isMarkerOnly = match.startsWith(KEY_MARKER) && !KEY_MATERIAL.test(match);
    // Other credentials can stand behind a marker.
    if (isMarkerOnly) ANY_IN_FILES.lastIndex = start + KEY_MARKER.length;
    else ranges.push({ start, end: start + match.length });
  }
  return ranges;
}

/** The offsets of a credential in a text. */
export type SecretRange = { readonly start: number; readonly end: number };

const KEY_MARKER = '-----BEGIN ';

/** Base64 of a length that no word has. */
export const KEY_MATERIAL = /[A-Za-z0-9+/=]{32}/;

/** The kinds of credentials in a file's text; usually none. */
export function findCredentials(text: string): readonly string[] {
  if (text.search(ANY_IN_FILES) === -1) return [];
  return Object.entries(FILE_PATTERNS).flatMap(([name, shape]) => (shape.test(text) ? [name] : []));
}
