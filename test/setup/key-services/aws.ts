import { createHash, createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type Answer, LocalKeyService, Refused } from './local';

const ACCOUNT = 'arn:aws:kms:eu-west-1:111122223333:key';
export const AWS_CREDENTIALS = { AWS_ACCESS_KEY_ID: 'AKIDTEST', AWS_SECRET_ACCESS_KEY: 'secret of a test' };

interface Call {
  KeyId: string;
  Plaintext?: string;
  CiphertextBlob?: string;
  EncryptionContext?: Record<string, string>;
}

const ERRORS: Record<Refused['reason'], string> = {
  denied: 'UnrecognizedClientException',
  'no such key': 'NotFoundException',
  disabled: 'DisabledException',
  'not wrapped by this key for this context': 'InvalidCiphertextException',
};

/** AWS KMS: JSON 1.1, Signature Version 4, keys by ARN or alias, encryption contexts. */
export class LocalAws extends LocalKeyService {
  private readonly aliases = new Map<string, string>();

  static arn(name: string): string {
    return `${ACCOUNT}/${name}`;
  }

  alias(alias: string, name: string): void {
    this.aliases.set(`alias/${alias}`, name);
  }

  protected isCall(): boolean {
    return true;
  }

  /** Throttling is 400 there. */
  protected failureOf(status: number): object {
    return { __type: status < 500 ? 'ThrottlingException' : 'KMSInternalException', message: 'later' };
  }

  protected answerTo(request: IncomingMessage, body: string): Answer {
    try {
      if (!isSigned(request, body)) throw new Refused('denied');
      const call = JSON.parse(body) as Call;
      const name = this.aliases.get(call.KeyId) ?? call.KeyId.replace(`${ACCOUNT}/`, '');
      const answer = request.headers['x-amz-target'] === 'TrentService.Encrypt' ? this.wrap : this.unwrap;
      return { status: 200, body: answer.call(this, name, call) };
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      return { status: 400, body: { __type: ERRORS[error.reason], message: error.message } };
    }
  }

  private wrap(name: string, { Plaintext, EncryptionContext }: Call): object {
    const { version, bytes } = this.encrypt(name, Buffer.from(Plaintext!, 'base64'), contextOf(EncryptionContext));
    const blob = JSON.stringify({ name, version, bytes: bytes.toString('base64') });
    return {
      CiphertextBlob: Buffer.from(blob).toString('base64'),
      KeyId: LocalAws.arn(name),
      EncryptionAlgorithm: 'SYMMETRIC_DEFAULT',
    };
  }

  private unwrap(name: string, { CiphertextBlob, EncryptionContext }: Call): object {
    let blob: { name: string; version: number; bytes: string };
    try {
      blob = JSON.parse(Buffer.from(CiphertextBlob!, 'base64').toString());
    } catch {
      throw new Refused('not wrapped by this key for this context');
    }
    if (blob.name !== name) throw new Refused('not wrapped by this key for this context');
    const bytes = Buffer.from(blob.bytes, 'base64');
    const plain = this.decrypt(name, blob.version, bytes, contextOf(EncryptionContext));
    return { Plaintext: plain.toString('base64'), KeyId: LocalAws.arn(name), EncryptionAlgorithm: 'SYMMETRIC_DEFAULT' };
  }
}

/** The order of the pairs makes no difference. */
const contextOf = (context: Record<string, string> = {}) => Buffer.from(JSON.stringify(Object.entries(context).sort()));

/** Signature Version 4, computed anew from the request as it came. */
function isSigned({ headers, method }: IncomingMessage, body: string): boolean {
  const found =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/kms\/aws4_request, SignedHeaders=([^,]+), Signature=(\w+)$/.exec(
      headers.authorization ?? '',
    );
  if (!found || found[1] !== AWS_CREDENTIALS.AWS_ACCESS_KEY_ID) return false;
  const [, , day, region, signed, signature] = found as unknown as string[];
  const lines = signed!.split(';').map((name) => `${name}:${headers[name]}\n`);
  const request = [method, '/', '', lines.join(''), signed, sha256(body)].join('\n');
  const scope = `${day}/${region}/kms/aws4_request`;
  const toSign = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, sha256(request)].join('\n');
  const start: Buffer | string = `AWS4${AWS_CREDENTIALS.AWS_SECRET_ACCESS_KEY}`;
  const key = [day, region, 'kms', 'aws4_request'].reduce<Buffer | string>((from, part) => hmac(from, part!), start);
  return hmac(key, toSign).toString('hex') === signature;
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const hmac = (key: Buffer | string, text: string) => createHmac('sha256', key).update(text).digest();
