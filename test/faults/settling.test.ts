// Suites that share a platform on which money is settled every second; the last of them leaves much behind.
import './settling/lost-flow';
import './settling/notifications';
import './settling/settlement';
import './settling/payouts';
import './settling/bank-statement';
import './settling/topup-links';
import './settling/consents';
import './settling/bank';
