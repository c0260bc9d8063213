import { count, DAY, HOUR, MINUTE, ms, SECOND, text, textLike, textOr, url } from './setting';
import type { Group } from './values';

/** Notifications to merchants. */
export const notifications = {
  notifications: {
    timeoutMs: ms(
      'NOTIFICATION_TIMEOUT_MS',
      10 * SECOND,
      'How long one attempt may take, from looking up the name to the end of the answer',
      { min: 1 },
    ),
    /** Requests to one endpoint at once. */
    atOnce: count('NOTIFICATION_CONCURRENCY', 16, 'The most requests that are on their way to one endpoint at once'),
    schedule: {
      attempts: count(
        'NOTIFICATION_ATTEMPTS',
        11,
        'Attempts in all. After the last one the notification has failed and waits until somebody sends it again',
      ),
      firstMs: ms(
        'NOTIFICATION_RETRY_FIRST_MS',
        5 * SECOND,
        'The pause after the first attempt. Each further pause is four times as long. Chance adds up to a fifth to ' +
          'each',
        { min: 1 },
      ),
      maxMs: ms(
        'NOTIFICATION_RETRY_MAX_MS',
        6 * HOUR,
        'The longest pause, before chance adds to it. With the defaults the last attempt comes after 25 to 31 hours',
        { min: 1 },
      ),
    },
  },
} satisfies Group;

/** E-mail and SMS. Without these settings, the sandbox uses the simulator's mailbox; in production messages wait. */
export const messages = {
  messages: {
    smtpUrl: url(
      'SMTP_URL',
      ['smtp', 'smtps'],
      'The mail server: `smtp://user:password@host:port`. In production, an `smtp:` server has to offer STARTTLS',
      { mayBeEmpty: true, secret: true },
    ),
    mailFrom: textOr('MAIL_FROM', 'Tillway <no-reply@tillway.example>', 'The sender of e-mails'),
    twilio: {
      accountSid: textLike(
        'TWILIO_ACCOUNT_SID',
        /^AC/,
        '`AC…`',
        'The Twilio account that sends SMS. Set it together with `TWILIO_AUTH_TOKEN`',
        { mayBeEmpty: true },
      ),
      authToken: text('TWILIO_AUTH_TOKEN', 'The token of that account', { mayBeEmpty: true, secret: true }),
      from: textOr('TWILIO_FROM', 'Tillway', 'The number or name that SMS come from'),
      apiUrl: url('TWILIO_API_URL', ['http', 'https'], "Another service that speaks Twilio's Messages API", {
        mayBeEmpty: true,
      }),
    },
    schedule: {
      retryFirstMs: ms(
        'MESSAGE_RETRY_FIRST_MS',
        SECOND,
        'The pause after the first attempt that failed. Each further pause is twice as long',
        { min: 1 },
      ),
      retryMaxMs: ms('MESSAGE_RETRY_MAX_MS', 10 * MINUTE, 'The longest such pause', { min: 1 }),
      ttlMs: ms('MESSAGE_TTL_MS', 5 * DAY, 'After this time the platform gives up on a message', { min: 1 }),
    },
  },
} satisfies Group;

/** The copy of the audit log on another machine. */
export const auditExport = {
  auditExport: {
    bucketUrl: url(
      'AUDIT_EXPORT_BUCKET_URL',
      ['https', 'http'],
      'A bucket of a store that speaks the S3 API, with its name in the path: `https://s3.eu-west-1.amazonaws.com/audit`. ' +
        '[The sealed audit log](operations.md#audit-log) is copied there. Without it there is no copy',
      { mayBeEmpty: true },
    ),
    accessKeyId: text(
      'AUDIT_EXPORT_ACCESS_KEY_ID',
      'The key to that bucket. It writes and lists objects, nothing else',
      {
        mayBeEmpty: true,
      },
    ),
    secretAccessKey: text('AUDIT_EXPORT_SECRET_ACCESS_KEY', 'The secret of that key', {
      mayBeEmpty: true,
      secret: true,
    }),
    region: textOr('AUDIT_EXPORT_REGION', 'us-east-1', 'The region that requests to the store are signed for'),
    prefix: textOr('AUDIT_EXPORT_PREFIX', 'tillway/', 'What the names of the objects begin with'),
  },
} satisfies Group;
