"""Contacts and joint stops as inputs of kernels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from revolute.model.contact import Contact
from revolute.records import dataclass


def contact_names(contacts: Sequence[Contact]) -> tuple[str, ...]:
    """Names of contacts: the names of their links, numbered if a link has several contacts."""
    links = [contact.link for contact in contacts]
    number = [links[:k].count(link) for k, link in enumerate(links)]
    return tuple(x if links.count(x) == 1 else f"{x}[{k}]" for x, k in zip(links, number, strict=True))


@dataclass(frozen=True, eq=False)
class ContactInputs:
    """Contacts and names of joints with stops, and the options and input arrays of kernels that describe them."""

    contacts: tuple[Contact, ...]
    stops: tuple[str, ...]
    options: Mapping[str, Any]  # of kernels
    arrays: Mapping[str, Any]  # inputs of kernels by name: "contacts" and "limits", without empty ones

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the contacts: see `contact_names`."""
        return contact_names(self.contacts)
