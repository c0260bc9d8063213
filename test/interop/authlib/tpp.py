"""A third-party provider written with Authlib and joserfc, which know nothing of Tillway.

Reads from stdin, as JSON: `authUrl`, `tpp` (both of credentials.json), `tenantId`, `customer` (`customerId`, `email`,
`password`) and `creditorIban`. Walks from discovery to a signed consent to pay. Prints what it saw, as JSON; ends with a
traceback at the first answer that is not as the standards say.
"""

import json
import sys
import time
import uuid
from datetime import datetime, timedelta, timezone
from html.parser import HTMLParser
from urllib.parse import parse_qs, urljoin, urlsplit

import requests
from authlib.common.security import generate_token
from authlib.integrations.requests_client import OAuth2Session
from authlib.oauth2.auth import encode_none
from authlib.oauth2.rfc8414 import AuthorizationServerMetadata
from joserfc import jws, jwt
from joserfc.errors import BadSignatureError
from joserfc.jwk import KeySet, RSAKey
from joserfc.registry import HeaderParameter

BASE = "/open-banking/2.0.0"
TIMEOUT_SECONDS = 60
IAT, ISS, TAN = (f"http://openbanking.org.uk/{claim}" for claim in ("iat", "iss", "tan"))


def require(is_so: bool, what: object) -> None:
    """`assert` that no option of the interpreter switches off."""
    if not is_so:
        raise AssertionError(what)


def over_tls(session: requests.Session, tpp: dict) -> requests.Session:
    """Trusts the sandbox's authority and nobody else, and takes nothing from the environment."""
    session.trust_env = False
    session.verify = tpp["caPath"]
    return session


class Provider:
    """The third party: its certificate, its keys, its clients for OAuth."""

    def __init__(self, auth_url: str, tpp: dict):
        self.auth_url, self.tpp = auth_url, tpp
        self.metadata = self._discover()
        self.bank_keys = self._keys(self.metadata["jwks_uri"])

    def _discover(self) -> AuthorizationServerMetadata:
        browser = over_tls(requests.Session(), self.tpp)
        found = browser.get(f"{self.auth_url}/.well-known/openid-configuration", timeout=TIMEOUT_SECONDS)
        metadata = AuthorizationServerMetadata(found.json())
        metadata.validate_issuer()
        metadata.validate_authorization_endpoint()
        metadata.validate_token_endpoint()
        metadata.validate_code_challenge_methods_supported()
        require(metadata["issuer"] == self.auth_url, metadata)
        require("tls_client_auth" in metadata["token_endpoint_auth_methods_supported"], metadata)
        return metadata

    def _keys(self, url: str) -> KeySet:
        browser = over_tls(requests.Session(), self.tpp)
        return KeySet.import_key_set(browser.get(url, timeout=TIMEOUT_SECONDS).json())

    def client(self, scope: str) -> OAuth2Session:
        """The certificate is what authenticates it (RFC 8705, section 2)."""
        session = OAuth2Session(
            self.tpp["clientId"],
            scope=scope,
            redirect_uri=self.tpp["redirectUri"],
            token_endpoint=self.metadata["token_endpoint"],
            token_endpoint_auth_method="tls_client_auth",
            code_challenge_method="S256",
            default_timeout=TIMEOUT_SECONDS,
        )
        session.register_client_auth_method(("tls_client_auth", encode_none))
        over_tls(session, self.tpp)
        session.cert = (self.tpp["certPath"], self.tpp["keyPath"])
        return session

    def own(self, scope: str) -> OAuth2Session:
        """With a token of the provider's own."""
        session = self.client(scope)
        token = session.fetch_token(grant_type="client_credentials")
        require(token["token_type"] == "Bearer" and token["expires_in"] > 0, "no bearer token")
        return session

    def url(self, path: str) -> str:
        return f"{self.auth_url}{BASE}{path}"


class Form(HTMLParser):
    """The first form of a page: where it goes, and what a browser would send."""

    def __init__(self, page: str):
        super().__init__()
        self.action: str | None = None
        self.fields: list[tuple[str, str]] = []
        self._is_inside = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "form" and self.action is None:
            self.action, self._is_inside = given["action"], True
        if tag != "input" or not self._is_inside:
            return
        if given.get("type") not in ("checkbox", "radio") or "checked" in given:
            self.fields.append((given["name"], given.get("value", "")))

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._is_inside = False


class Customer:
    """The customer's browser, without JavaScript."""

    def __init__(self, provider: Provider, customer: dict):
        self.provider, self.customer = provider, customer
        self.session = over_tls(requests.Session(), provider.tpp)

    def authorise(self, url: str) -> str:
        """Follows the provider's link, signs in and confirms. Answers where the bank sends the customer back to."""
        reply = self._send("GET", url)
        for _ in range(4):
            if reply.url.startswith(self.provider.tpp["redirectUri"]):
                return reply.url
            require(reply.status_code == 200, f"{reply.url}: {reply.status_code}")
            reply = self._submit(reply)
        raise AssertionError("the bank goes on asking")

    def _submit(self, page: requests.Response) -> requests.Response:
        form = Form(page.text)
        require(form.action is not None, "the page has no form")
        typed = {"name": self.customer["email"], "password": self.customer["password"]}
        fields = [(name, typed.get(name, value)) for name, value in form.fields]
        return self._send("POST", urljoin(page.url, form.action), [*fields, ("decision", "confirm")])

    def _send(self, method: str, url: str, form: list[tuple[str, str]] | None = None) -> requests.Response:
        """Redirects are followed up to the provider's own address, which nobody has to serve."""
        headers = {"Origin": self.provider.auth_url} if form else {}
        while True:
            reply = self.session.request(
                method, url, data=form, headers=headers, allow_redirects=False, timeout=TIMEOUT_SECONDS
            )
            if not reply.is_redirect:
                return reply
            method, form, headers, url = "GET", None, {}, urljoin(url, reply.headers["location"])
            if url.startswith(self.provider.tpp["redirectUri"]):
                reply.url = url
                return reply


def account_consent(provider: Provider, tenant_id: str, customer_id: str) -> dict:
    now = datetime.now(timezone.utc)
    at = {days: (now + timedelta(days=days)).strftime("%Y-%m-%dT%H:%M:%SZ") for days in (-30, 0, 30, 60)}
    permissions = (
        "ReadAccountsDetail",
        "ReadTransactionsDetail",
        "ReadTransactionsCredits",
        "ReadTransactionsDebits",
    )
    reply = provider.own("accounts").post(
        provider.url("/consent"),
        json={
            "serviceProvider": provider.tpp["name"],
            "customerId": customer_id,
            "customerType": "Person",
            "status": "AwaitingAuthorisation",
            "consentedDate": at[0],
            "sharingStartDate": at[-30],
            "sharingEndDate": at[30],
            "expiryDate": at[60],
            "permissions": [{"name": name} for name in permissions],
            "tenantId": tenant_id,
        },
    )
    require(reply.status_code == 201, reply.text)
    return reply.json()


def authorised(provider: Provider, consent: dict, customer: dict) -> OAuth2Session:
    """A session with the token of the consent: authorization code, PKCE, an id token that names this very request."""
    session = provider.client("openid accounts")
    verifier, nonce = generate_token(48), generate_token(20)
    url, state = session.create_authorization_url(
        provider.metadata["authorization_endpoint"],
        code_verifier=verifier,
        nonce=nonce,
        consent_id=consent["consentId"],
    )
    back = Customer(provider, customer).authorise(url)
    answer = {name: values[0] for name, values in parse_qs(urlsplit(back).query).items()}
    # RFC 9207: who answers is who was asked.
    require(answer.get("iss") == provider.metadata["issuer"], answer)
    token = session.fetch_token(authorization_response=back, state=state, code_verifier=verifier)
    claims = jwt.decode(token["id_token"], provider.bank_keys, algorithms=["PS256"]).claims
    jwt.JWTClaimsRegistry(
        iss={"essential": True, "value": provider.metadata["issuer"]},
        aud={"essential": True, "value": provider.tpp["clientId"]},
        sub={"essential": True, "value": customer["customerId"]},
        nonce={"essential": True, "value": nonce},
        exp={"essential": True},
    ).validate(claims)
    return session


def read(session: OAuth2Session, url: str) -> dict:
    interaction = str(uuid.uuid4())
    headers = {"x-fapi-interaction-id": interaction, "x-fapi-customer-ip-address": "203.0.113.7"}
    reply = session.get(url, headers=headers)
    require(reply.status_code == 200, reply.text)
    require(reply.headers["x-fapi-interaction-id"] == interaction, reply.headers)
    return reply.json()["Data"]


class Signatures:
    """Detached signatures of UK Open Banking 3.1.11 (RFC 7515, appendix F)."""

    def __init__(self, provider: Provider):
        self.provider = provider
        with open(provider.tpp["jwksKeyPath"], encoding="utf-8") as file:
            self.key = RSAKey.import_key(json.load(file))
        self.bank_keys = provider._keys(provider.url("/.well-known/jwks.json"))
        claims = {IAT: HeaderParameter("Issued at", "int")}
        claims |= {claim: HeaderParameter("Who, and where registered", "str") for claim in (ISS, TAN)}
        self.registry = jws.JWSRegistry(claims, algorithms=["PS256"])
        # The claims have long names.
        self.registry.max_header_length = 2_048

    def sign(self, body: bytes) -> str:
        tpp = self.provider.tpp
        header = {
            "alg": "PS256",
            "kid": tpp["kid"],
            "typ": "JOSE",
            "cty": "application/json",
            "crit": [IAT, ISS, TAN],
            IAT: int(time.time()),
            ISS: tpp["iss"],
            TAN: tpp["tan"],
        }
        return jws.detach_content(jws.serialize_compact(header, body, self.key, registry=self.registry))

    def verify(self, reply: requests.Response) -> dict:
        """Checks the bank's signature over an answer, and that it is good for no other answer. Answers its header."""
        signature = reply.headers["x-jws-signature"]
        header = self._verified(signature, reply.content)
        require(header[ISS] == self.provider.metadata["issuer"], header)
        require(header[TAN] == self.provider.tpp["tan"], header)
        try:
            self._verified(signature, reply.content + b" ")
        except BadSignatureError:
            return header
        raise AssertionError("the signature is good for another body too")

    def _verified(self, signature: str, body: bytes) -> dict:
        return jws.deserialize_compact(signature, self.bank_keys, registry=self.registry, payload=body).headers()


def payment_consent(provider: Provider, iban: str) -> dict:
    signatures, session = Signatures(provider), provider.own("payments")
    order = {
        "Data": {
            "Initiation": {
                "InstructionIdentification": "INSTR-1",
                "EndToEndIdentification": "E2E-1",
                "InstructedAmount": {"Amount": "1.00", "Currency": "EUR"},
                "CreditorAccount": {"SchemeName": "UK.OBIE.IBAN", "Identification": iban, "Name": "Corner Shop"},
            }
        },
        "Risk": {},
    }
    body = json.dumps(order).encode()

    def post(sent: bytes) -> requests.Response:
        headers = {
            "content-type": "application/json",
            "x-idempotency-key": str(uuid.uuid4()),
            "x-jws-signature": signatures.sign(body),
        }
        return session.post(provider.url("/domestic-payment-consents"), data=sent, headers=headers)

    made = post(body)
    require(made.status_code == 201, made.text)
    altered = post(body.replace(b'"1.00"', b'"9.00"'))
    require(altered.status_code == 400, altered.text)
    signatures.verify(altered)
    data = made.json()["Data"]
    return {
        "consentId": data["ConsentId"],
        "status": data["Status"],
        "signedBy": signatures.verify(made)["kid"],
        "altered": altered.json()["Errors"][0]["ErrorCode"],
    }


def main() -> None:
    given = json.load(sys.stdin)
    provider = Provider(given["authUrl"], given["tpp"])
    consent = account_consent(provider, given["tenantId"], given["customer"]["customerId"])
    session = authorised(provider, consent, given["customer"])
    accounts = read(session, provider.url("/accounts"))["Account"]
    transactions = read(session, provider.url(f"/accounts/{accounts[0]['AccountId']}/transactions"))["Transaction"]
    old = session.token["access_token"]
    refreshed = session.refresh_token()
    require(refreshed["access_token"] != old, "the token was not refreshed")
    require(read(session, provider.url("/accounts"))["Account"] == accounts, "the new token reads something else")
    seen = {
        "consentId": consent["consentId"],
        "ibans": [account["Account"][0]["Identification"] for account in accounts],
        "amounts": [entry["Amount"] for entry in transactions],
        "payment": payment_consent(provider, given["creditorIban"]),
    }
    print(json.dumps(seen))


if __name__ == "__main__":
    main()
