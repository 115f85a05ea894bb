/** Replacement for a credential. */
export const REDACTED = '[redacted]';

/** Each text can be read in one way only, because trying several takes long. */
const SIGNS = String.raw`(?:\\[nrt]|\\(?![nrt])|[^A-Za-z0-9\\]){1,80}`;

/**
 * The text between the name of an AWS secret key and its value: signs, line breaks (in JSON as `\n`), and one word,
 * such as the `value` of an entry with this name.
 */
export const BEFORE_AWS_VALUE = `${SIGNS}(?:[A-Za-z]{1,20}${SIGNS})?`;

/** Such as `AWS_SECRET_ACCESS_KEY`, `secretAccessKey`, `aws.secretKey`, `AWS_SECRET` or `aws-secret-access-key-2`. */
const AWS_NAME = `(?:${nameOf('secret', 'access?', 'key')}|${nameOf('aws', 'secret', 'access?')})(?:[_.-][A-Za-z0-9]{1,20})?`;

/** These words in any case and with any signs between them; one with a question mark can be missing. */
function nameOf(first: string, ...others: readonly string[]): string {
  const further = others.map((word) => {
    const part = `[ _.-]{0,2}${inAnyCase(word.replace('?', ''))}`;
    return word.endsWith('?') ? `(?:${part})?` : part;
  });
  return [inAnyCase(first), ...further].join('');
}

/** Not `(?i:…)`: within a larger pattern V8 misses some of its matches. */
function inAnyCase(word: string): string {
  return word.replace(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`);
}

/** The length of an AWS secret key. */
export const AWS_VALUE_LENGTH = 40;

const AWS_VALUE = `${BEFORE_AWS_VALUE}[A-Za-z0-9/+]{${AWS_VALUE_LENGTH}}(?![A-Za-z0-9/+])`;

const AWS_KEY = new RegExp(`${AWS_NAME}${AWS_VALUE}`);

/** With the secret key that often stands behind it, as in a call that takes both. */
const AWS_KEY_ID = new RegExp(String.raw`\b(?:AKIA|ASIA)[0-9A-Z]{16}(?:${AWS_VALUE}|\b)`);

/** With a capital and a digit soon, unlike words and lines of signs. */
const LONG_VALUE = '(?=[a-z0-9/+%]{0,60}[A-Z])(?=[A-Za-z/+%]{0,60}[0-9])[A-Za-z0-9/+=%]{80,}';

/** By its name, or by how all of them begin. */
const AWS_SESSION_TOKEN = new RegExp(
  String.raw`(?:${nameOf('session', 'token')}|${nameOf('security', 'token')})${BEFORE_AWS_VALUE}${LONG_VALUE}|\b(?:FwoGZXIvYXdz|IQoJb3JpZ2lu|FQoGZXIvYXdz|FQoDYXdz|AQoDYXdz)${LONG_VALUE}`,
);

/** The text between two literals that hold a key's rows. */
const BETWEEN_ROWS = String.raw`(?:\\[nrt]|\\(?![nrt])|[^A-Za-z0-9=\\-]){1,40}`;

/** The last row can be short, and shows by its padding that it is one. */
const LAST_KEY_ROW = `${BETWEEN_ROWS}(?:[A-Za-z0-9+/]{4}){1,18}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)`;

/** With a digit, unlike long names. */
const KEY_ROWS = `(?:${BETWEEN_ROWS}(?=[A-Za-z+/]{0,60}[0-9])[A-Za-z0-9+/]{40,}={0,2})*(?:${LAST_KEY_ROW})?`;

/** Rows such as `Version: GnuPG v1` above the first row of a key, each to the end of its line. */
const KEY_HEADERS = String.raw`(?:(?:${BETWEEN_ROWS}[A-Za-z][A-Za-z-]{1,24}: [^\r\n\\]{0,200}(?=[\r\n\\])){1,8}(?=${BETWEEN_ROWS}[A-Za-z0-9+/]{40}))?`;

const KEY_KIND = '[A-Z0-9 ]{0,20}PRIVATE KEY(?: BLOCK)?';

/**
 * Up to the END line, also through quotes, comments, headers and diff signs. Without one that is near, as far as the
 * key's letters, also in several literals.
 */
const PRIVATE_KEY = new RegExp(
  String.raw`(?:-----BEGIN ${KEY_KIND}-----|---- BEGIN SSH2 ${KEY_KIND} ----)(?:(?:(?!----)[\s\S]){0,20000}(?:-{5,6}END ${KEY_KIND}-----|-{4,5} END SSH2 ${KEY_KIND} ----)|${KEY_HEADERS}(?:[A-Za-z0-9+/=\s]|\\n|\\r)*${KEY_ROWS})`,
);

/** The rows below the heading, which are base64 and nothing else. */
const PUTTY_KEY = /Private-Lines: \d{1,4}(?:(?:\r?\n|\\r|\\n){1,2}[ \t]{0,8}[A-Za-z0-9+/]{1,64}={0,2}(?=[\r\n\\]|$))+/;

/** Base64 of 32 bytes behind the name of a secret key. */
const WIREGUARD_KEY = new RegExp(
  String.raw`\b(?:${nameOf('private', 'key')}|${nameOf('pre', 'shared', 'key')})["' \t]{0,4}[:=][>"' \t]{0,4}[A-Za-z0-9+/]{43}=(?![A-Za-z0-9+/=])`,
);

/** A longer pair of name and password than examples have. */
const BASIC_LOGIN = new RegExp(
  String.raw`\b${nameOf('authorization')}[^A-Za-z0-9\r\n]{1,8}${nameOf('basic')}[ \t]{1,3}[A-Za-z0-9+/]{24,}={0,2}`,
);

/** The secret members, which are never hexadecimal digests: in base64 with both cases. */
const JSON_WEB_KEY =
  /["'](?:dp|dq|qi|d|p|q|k)\\?["'] {0,3}: {0,3}\\?["'](?=[a-z0-9_-]{0,42}[A-Z])(?=[A-Z0-9_-]{0,42}[a-z])[A-Za-z0-9_-]{43,}/;

/** As the settings of npm, Yarn and NuGet name it. A variable in its place is none. */
const REGISTRY_LOGIN = new RegExp(
  [
    String.raw`:_(?:authToken|auth|password)[ \t]{0,3}=[ \t]{0,3}["']?(?=[A-Z0-9_+/.-]{0,60}[a-z])[A-Za-z0-9+/=_.-]{8,}`,
    String.raw`\bnpmAuthToken["']?[ \t]{0,3}[:=][ \t]{0,3}["']?(?=[A-Za-z+/_.-]{0,60}\d)[A-Za-z0-9+/=_.-]{16,}`,
    String.raw`\bClearTextPassword["'] {1,3}value=["'](?![%$])[^"'\r\n]{4,200}`,
  ].join('|'),
);

/** The digits of the account in base64, a time and a signature. */
const DISCORD_TOKEN =
  /\b(?:[MNO][DTjz][AEIMQUYcgk][w-z0-5]){5,6}[A-Za-z0-9]{0,4}(?:==)?\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}/;

/**
 * Patterns of credentials by their names. They also match inside JSON, where a line break is `\n`. Each runs in linear
 * time, because the text can be hostile.
 */
const CREDENTIAL_PATTERNS: Readonly<Record<string, RegExp>> = {
  'a private key': PRIVATE_KEY,
  'a GitHub token': /gh[a-z]_[A-Za-z0-9._-]{10,}|github_pat_[A-Za-z0-9_]{10,}/,
  'a GitLab token':
    /\bgl(?:pat|dt|rt|ptt|soat|cbt|oas|ft|ffct|imt|agent)-[A-Za-z0-9_-]{20,}(?:\.[0-9a-z]{2}\.?[0-9a-z]{7,9})?/,
  'an AWS access key': AWS_KEY_ID,
  'an AWS session token': AWS_SESSION_TOKEN,
  'a Google key': /\bAIza[A-Za-z0-9_-]{35}|\bGOCSPX-[A-Za-z0-9_-]{20,}/,
  // The second is a token that gets others.
  'a Google token': /\bya29\.[A-Za-z0-9_-]{20,}|\b1\/\/0[A-Za-z0-9_-]{40,}/,
  'an Azure storage key': /\bAccountKey=[A-Za-z0-9+/=]{40,}/,
  'an Azure client secret': /\dQ~[A-Za-z0-9_~.-]{31,34}/,
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
  'an AWS secret key': AWS_KEY,
  'a Groq key': /\bgsk_[A-Za-z0-9]{52}/,
  'an xAI key': /\bxai-[A-Za-z0-9_]{80}/,
  'a Perplexity key': /\bpplx-[A-Za-z0-9]{48}/,
  'a Replicate token': /\br8_[A-Za-z0-9]{37}/,
  'a LangSmith key': /\blsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}/,
  // Both begin with their kind in base64.
  'a Bedrock key':
    /\bABSKQmVkcm9ja0FQSUtleS[A-Za-z0-9+/=]{40,}|\bbedrock-api-key-YmVkcm9jay5hbWF6b25hd3MuY29t[A-Za-z0-9+/=]{20,}/,
  'a Fly.io token': /\bfm[12][ar]?_[A-Za-z0-9+/]{60,}={0,3}|\bfo1_[A-Za-z0-9_-]{43}/,
  'a PlanetScale password': /\bpscale_(?:pw|tkn|oauth)_[A-Za-z0-9_=.-]{32,64}/,
  'a Supabase token': /\bsbp_[0-9a-f]{40}/,
  'a Brevo key': /\bx(?:key|smtp)sib-[0-9a-f]{64}-[A-Za-z0-9]{16}/,
  'a Doppler token': /\bdp\.(?:ct|pt|sa|scim|audit|st(?:\.[a-z0-9_-]{2,35})?)\.[A-Za-z0-9]{40,44}/,
  'a Pulumi token': /\bpul-[0-9a-f]{40}/,
  'a Terraform token': /\batlasv1\.[A-Za-z0-9_=-]{60,}/,
  'a Heroku key': /\bHRKU-AA[A-Za-z0-9_-]{58}/,
  'a Notion token': /\bntn_\d{11}[A-Za-z0-9]{35}/,
  'an Airtable token': /\bpat[A-Za-z0-9]{14}\.[0-9a-f]{64}/,
  'a 1Password token': /\bops_eyJ[A-Za-z0-9+/]{200,}={0,3}/,
  'a Tailscale key': /\btskey-[a-z]{2,12}-[A-Za-z0-9]{8,40}-[A-Za-z0-9]{20,}/,
  'a Square token': /\bsq0(?:atp|csp)-[A-Za-z0-9_-]{22,}/,
  'a SonarQube token': /\bsq[pua]_[0-9a-f]{40}/,
  'a CircleCI token': /\bCCIPAT_[A-Za-z0-9]{22}_[0-9a-z]{40}/,
  'a Buildkite token': /\bbkua_[0-9a-z]{40}/,
  'a Dynatrace token': /\bdt0[a-z]\d{2}\.[A-Z0-9]{24}\.[A-Z0-9]{64}/,
  'an Artifactory key': /\bAKCp[A-Za-z0-9]{69}/,
  'a Discord token': DISCORD_TOKEN,
  'a Discord webhook': /(?<=\/\/)(?:[a-z]{1,10}\.)?discord(?:app)?\.com\/api\/webhooks\/\d{17,20}\/[A-Za-z0-9_-]{60,}/,
  'a login of a registry': REGISTRY_LOGIN,
  'a basic login': BASIC_LOGIN,
  'a WireGuard key': WIREGUARD_KEY,
  'a key of PuTTY': PUTTY_KEY,
  'a JSON web key': JSON_WEB_KEY,
  'a Telegram token': /\b\d{8,10}:AA[A-Za-z0-9_-]{33}/,
  'a JSON web token': /\beyJ(?:(?!-eyJ)[A-Za-z0-9_-]){8,8000}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}/,
  // Up to the last `@`: a name can be an e-mail address, and a password can have any sign.
  'a password in an address': /(?<=\/\/)[^\s/"':]*:[^\s/"']*(?=@)/,
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
    /(?<=\/\/)[^\s/"':]*:(?!(?:\$?\{[^\s/"'@]*\}|\$[A-Z_]+|<[^\s/"'@]*>|%s|\*+)@[^\s/"'@]*(?:[\s/"']|$))[^\s/"']+(?=@)/,
};

const FILE_PATTERNS: Readonly<Record<string, RegExp>> = { ...CREDENTIAL_PATTERNS, ...NARROWER_IN_FILES };

const ANY_CREDENTIAL = anyOf(CREDENTIAL_PATTERNS);

const ANY_IN_FILES = anyOf(FILE_PATTERNS);

const BEHIND_SLASHES = String.raw`(?<=\/\/)`;

/** A search for slashes is much faster than one that looks behind at each place; `skipped` is their length. */
const EACH_IN_FILES = Object.values(FILE_PATTERNS).map((pattern) => {
  const { source } = pattern;
  return source.startsWith(BEHIND_SLASHES)
    ? { pattern, global: new RegExp(`//${source.slice(BEHIND_SLASHES.length)}`, 'g'), skipped: 2 }
    : { pattern, global: new RegExp(source, 'g'), skipped: 0 };
});

function anyOf(patterns: Readonly<Record<string, RegExp>>): RegExp {
  return new RegExp(
    Object.values(patterns)
      .map(({ source }) => source)
      .join('|'),
    'g',
  );
}

/** The text with every credential replaced. */
export function redactCredentials(text: string): string {
  return text.replace(ANY_CREDENTIAL, REDACTED);
}

/**
 * Where a file's text has credentials, in order. A marker of a private key without a key is none. Each pattern is
 * searched alone: in one alternation a match would hide those of other patterns that begin inside it.
 */
export function findSecretRanges(text: string): readonly SecretRange[] {
  // Most files have none, and one search for all is faster than one for each.
  if (text.search(ANY_IN_FILES) === -1) return [];
  const ranges: SecretRange[] = [];
  for (const { pattern, global, skipped } of EACH_IN_FILES) {
    global.lastIndex = 0;
    for (let found = global.exec(text); found !== null; found = global.exec(text)) {
      const { 0: match, index } = found;
      const [start, end] = [index + skipped, index + match.length];
      const isMarkerOnly = pattern === PRIVATE_KEY && !KEY_MATERIAL.test(match);
      if (!isMarkerOnly) ranges.push({ start, end });
      // Another key can stand behind a marker, and the name of one within a value.
      if (isMarkerOnly) global.lastIndex = start + KEY_MARKER.length;
      else if (pattern === AWS_KEY) global.lastIndex = end - AWS_VALUE_LENGTH;
    }
  }
  return mergeRanges(ranges);
}

/** In order, each place once. */
export function mergeRanges(ranges: readonly SecretRange[]): readonly SecretRange[] {
  const merged: SecretRange[] = [];
  for (const range of ranges.toSorted((one, other) => one.start - other.start)) {
    const last = merged.at(-1);
    if (last === undefined || last.end < range.start) merged.push(range);
    else merged[merged.length - 1] = { start: last.start, end: Math.max(last.end, range.end) };
  }
  return merged;
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
