// Suites that share a platform on which nothing is settled; the first of them counts what is there, the last stops it.
import './unsettled/crash';
import './unsettled/engine';
import './unsettled/receipt';
import './unsettled/payer';
import './unsettled/orders';
import './unsettled/links';
import './unsettled/drain';
