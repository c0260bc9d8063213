"""What Schemathesis cannot find in the API document: who calls, and which rules a JSON schema has no words for.

`TILLWAY_TOKENS` names a file of access tokens by role, as JSON.
"""

import json
import os
import re

import schemathesis
from schemathesis.openapi.checks import RejectedPositiveData
from schemathesis.specs.openapi.checks import positive_data_acceptance

with open(os.environ["TILLWAY_TOKENS"], encoding="utf-8") as file:
    TOKENS = json.load(file)

# Which caller takes a route that several roles may call: the one that sees most of a tenant.
ROLES = ("tenant_admin", "merchant", "customer", "ops", "tpp")

# Why valid data may be refused with 400, by the message about each member.
BEYOND_A_SCHEMA = [
    # An opaque value that only we make.
    r"is not a cursor of this (list|feed)",
    # The decimals of an amount are those of its currency, and zero has many spellings.
    r"must be a decimal string with exactly \d decimals?",
    r"must be a whole number as a decimal string",
    r"must be more than zero",
    r"must not be 0",
    # Lists and forms that others keep: ISO 4217, the IANA time zones, the URL standard, check digits of ISO 13616 and
    # of card numbers, telephone numbers, days that the calendar has, the marks at the beginning of a file.
    r"must be an ISO 4217 currency code",
    r"must be an IANA time zone",
    r"must be an absolute URL",
    r"must be an IBAN",
    r"is not a card number",
    r"must be a telephone number in E.164",
    r"must be a day of the calendar",
    r"must be (a customerId, or )?an e-mail address",
    r"must be a date or a date-time",
    r"does not match its contentType",
    # Which permissions the UK standard knows, and which go together.
    r"^(may name|must name|must have|needs) .*Read[A-Z]",
    # A character beyond the basic plane counts as two here, as in JavaScript; a schema counts it as one.
    r"must have at most \d+ characters",
    # JSON has NUL and Postgres has not; each string of the document would have to say so.
    r"must not contain NUL",
    # Two moments, and which comes first.
    r"must be later than",
    r"must not be before",
    r"must be in the future",
    # How parameters of a query go together: OpenAPI has no words for it.
    r"needs \w+ together with \w+",
    r"may not have \w+ together with \w+",
    # What the payment method in the path, another member or a setting allows.
    r"^must be false",
    r"may be manual only for",
    r"serves none of the payment kinds",
    r"needs exactly one currency",
    r"is (required )?for the role",
    r"must be at most \d+",
    # Elements that differ, but have the same key; what a policy needs beside the kind that it is of.
    r"must not have an element twice",
    r"needs one of above, risk, countries",
    # A path has said for which customer.
    r"must be the customer in the path",
    # What is named has to be there, and the caller's. A consent has one message for all that is wrong with it.
    r"is (not an?|not one|no) [a-z ]*of (this|the) (tenant|organization)",
    r"is not a customer of yours",
    r"must name a bank that you serve, yourself and a customer of that bank",
]
RULES = [re.compile(rule) for rule in BEYOND_A_SCHEMA]


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """Schemathesis does not know that tokens of OAuth 2.0 travel as bearer tokens (RFC 6750): say it as plain HTTP."""
    raw_schema["components"]["securitySchemes"]["oauth2"] = {"type": "http", "scheme": "bearer"}
    for path in raw_schema["paths"].values():
        for operation in path.values():
            operation["security"] = [dict.fromkeys(scheme, []) for scheme in operation.get("security", [])]


@schemathesis.auth()
class ByRole:
    """Each operation is called with the token of a role that may call it (`x-roles`)."""

    def get(self, case, context):
        roles = context.operation.definition.raw.get("x-roles", [])
        return next((TOKENS[role] for role in ROLES if role in roles), None)

    def set(self, case, data, context):
        if data:
            case.headers = {**(case.headers or {}), "Authorization": f"Bearer {data}"}


@schemathesis.serializer("application/jose")
def jose(context, value):
    """A compact JWS is text."""
    return value if isinstance(value, bytes) else str(value).encode()


@schemathesis.check
def valid_data_is_taken(ctx, response, case):
    """What fits the document is taken, unless the answer names a rule that no schema can say."""
    try:
        positive_data_acceptance(ctx, response, case)
    except RejectedPositiveData:
        if not is_beyond_a_schema(response):
            raise


def is_beyond_a_schema(response) -> bool:
    if response.status_code == 422:
        # Understood, and refused by a rule of the business.
        return True
    body = response.json()
    if body.get("code") == "malformed_callback":
        # The members are the processor's to say, whose signature comes first; processor G has none.
        return True
    details = body.get("details") or []
    return bool(details) and all(is_said_by_none(one) for one in details)


def is_said_by_none(detail: dict) -> bool:
    if detail == {"field": "organizationId", "message": "is required"}:
        # A merchant has one organization; an admin has to say which.
        return True
    return any(rule.search(detail["message"]) for rule in RULES)
