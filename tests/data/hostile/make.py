#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the damaged and unusual instance files of this folder. Needs NumPy; always the same output.

Files that must be accepted are called accepted_*; all others must be refused with a message.
"""
import gzip
import io
import json
import os
import struct
import zipfile

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))


def put(name, content):
    with open(os.path.join(HERE, name), "wb") as out:
        out.write(content.encode() if isinstance(content, str) else content)


def instance(**changes):
    """A correct instance with n = 2, T = 2, d = 3, H = 1, and changes; None removes a key."""
    fields = {
        "model": "mha",
        "X": [[["1", "2", "3"], ["4", "5", "6"]], [["7", "8", "9"], ["1/3", "0.1", "-2"]]],
        "y": [1, -1],
        "U": [[["1", "0", "0"], ["0", "1", "0"]]],
        "W": [[["1", "0", "0"], ["0", "1", "0"], ["0", "0", "1"]]],
    }
    fields.update(changes)
    return {key: value for key, value in fields.items() if value is not None}


def put_json(file_name, **changes):
    put(file_name + ".json", json.dumps(instance(**changes)) + "\n")


def npy(array, version=None):
    out = io.BytesIO()
    np.lib.format.write_array(out, np.asanyarray(array), version=version, allow_pickle=True)
    return out.getvalue()


def raw_npy(header, data=b"", version=1):
    length = struct.pack("<H" if version == 1 else "<I", len(header))
    return b"\x93NUMPY" + bytes([version, 0]) + length + header.encode("latin1") + data


def header(descr="'<f8'", order="False", shape="(2, 2, 3)"):
    return "{'descr': %s, 'fortran_order': %s, 'shape': %s, }\n" % (descr, order, shape)


def members(**changes):
    arrays = {
        "X": np.arange(12.0).reshape(2, 2, 3),
        "y": np.array([1, -1]),
        "U": np.ones((1, 2, 3)),
        "W": np.ones((1, 3, 3)),
    }
    arrays.update(changes)
    return [(key + ".npy", value if isinstance(value, bytes) else npy(value))
            for key, value in arrays.items() if value is not None]


def archive(entries, compression=zipfile.ZIP_STORED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compression) as zipped:
        for name, content in entries:
            zipped.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), content,
                            compress_type=compression)
    return out.getvalue()


def put_npz(file_name, **changes):
    put(file_name + ".npz", archive(members(**changes)))


def patch_records(packed, member, local_offset, central_offset, value):
    """Overwrites one field of the local and of the central zip record of a member."""
    packed = bytearray(packed)
    for signature, name_offset, offset in ((b"PK\x03\x04", 30, local_offset),
                                           (b"PK\x01\x02", 46, central_offset)):
        at = packed.find(signature)
        while packed[at + name_offset:at + name_offset + len(member)] != member:
            at = packed.find(signature, at + 4)
        packed[at + offset:at + offset + len(value)] = value
    return bytes(packed)


def json_files():
    good = json.dumps(instance())
    put("syntax_truncated.json", good[:70])
    put("syntax_empty.json", "")
    put("syntax_trailing.json", good + "\n x\n")
    put("syntax_bad_utf8.json", b'{"name": "\xff\xfe", "X": []}\n')
    put("syntax_duplicate_key.json", '{"y": [1],\n "X": [[["1"]]],\n "y": [-1]}\n')
    put("syntax_duplicate_in_spec.json",
        '{"format": "mha-fixture-1", "spec": {"X": [[["1"]]], "X": [[["2"]]], "y": [1]}}\n')
    put("syntax_deep.json", '{"X": ' + "[" * 100 + "]" * 100 + "}\n")
    put("syntax_nan.json", '{"X": [[["1", "2"],\n  ["3", NaN]]], "y": [1]}\n')
    put("syntax_overflow.json", '{"X": [[[1, 1e999]]], "y": [1]}\n')
    put("kind_list.json", "[1, 2]\n")
    put("kind_gzip.json", gzip.compress(good.encode(), mtime=0))
    put("kind_pickle.json", b"\x80\x04\x95\x05\x00\x00\x00")
    put("kind_npy.npy", npy(np.zeros((2, 2, 3))))
    put("kind_json_called.npz", good)

    tokens = instance()["X"]

    def entry(value):
        changed = json.loads(json.dumps(tokens))
        changed[1][0][2] = value
        return changed

    put_json("number_nan", X=entry("NaN"))
    put_json("number_inf", X=entry("-inf"))
    put_json("number_division_by_zero", X=entry("1/0"))
    put_json("number_huge_exponent", X=entry("1e999999999"))
    put_json("number_huge_binary_exponent", X=entry("0x1p999999999"))
    put_json("number_word", X=entry("three"))
    put_json("number_empty", X=entry(""))
    put_json("number_null", X=entry(None))
    put_json("number_list", X=entry(["1"]))
    put_json("number_true", X=entry(True))
    put_json("number_control_characters", X=entry("1\x1b[31m\n"))

    put_json("X_missing", X=None)
    put_json("X_empty", X=[])
    put_json("X_number", X=3)
    put_json("X_sample_empty", X=[tokens[0], []])
    put_json("X_sample_number", X=[tokens[0], 5])
    put_json("X_token_empty", X=[[[], []]])
    put_json("X_token_short", X=[tokens[0], [["1", "2", "3"], ["4", "5"]]])
    put_json("X_two_axes", X=tokens[0])
    put_json("y_missing", y=None)
    put_json("y_count", y=[1, -1, 1])
    put_json("y_zero", y=[1, 0])
    put_json("y_two", y=["2", "-1"])
    put_json("y_word", y=["cat", "dog"])
    put_json("y_object", y={"a": 1})
    put_json("U_missing", U=None)
    put_json("U_empty", U=[])
    put_json("U_rows", U=[[["1", "0", "0"]]])
    put_json("U_row_short", U=[[["1", "0", "0"], ["0", "1"]]])
    put_json("U_heads", U=2 * instance()["U"])
    put_json("W_missing", W=None)
    put_json("W_rows", W=[[["1", "0", "0"], ["0", "1", "0"]]])
    put_json("W_row_long", W=[[["1", "0", "0"], ["0", "1", "0"], ["0", "0", "1", "0"]]])
    put_json("model_unknown", model="transformer")
    put_json("model_attsvm", model="attsvm")
    put_json("model_kernel", model="kernel")
    put_json("model_rows", model="rows", F=[["1"]])
    put_json("model_number", model=1)
    put_json("model_attsvm_by_key", model=None, U=None, W=None, alpha=[0, 1], v=["1", "0", "0"])
    put_json("model_rows_by_key", model=None, X=None, U=None, W=None, F=[["1", "2"]])
    put("model_kernel_by_input.json", '{"name": "k", "input": {"X": [[["1"]]], "WQ": [[["1"]]]}}\n')
    put_json("format_unknown", format="heed-instance-9")
    put_json("loss_unknown", loss="hinge")
    put_json("loss_number", loss=1)
    put("spec_number.json", '{"format": "mha-fixture-1", "spec": 3}\n')


def npz_files():
    X = np.arange(12.0).reshape(2, 2, 3)
    data = X.tobytes()
    good = archive(members())
    put("zip_truncated.npz", good[:len(good) // 2])
    put("zip_magic_only.npz", b"PK\x03\x04")
    put("zip_empty.npz", archive([]))
    twice = patch_records(archive(members(Y=X)), b"Y.npy", 30, 46, b"X.npy")
    put("zip_duplicate_member.npz", twice)
    put("zip_encrypted.npz", patch_records(good, b"X.npy", 6, 8, b"\x01\x00"))
    put("zip_checksum.npz", good.replace(struct.pack("<d", 11.0), struct.pack("<d", 12.0)))
    packed = archive(members(), zipfile.ZIP_DEFLATED)
    put("zip_deflate_damaged.npz", packed[:60] + b"\xff\xff\xff\xff" + packed[64:])
    put("zip_claims_4_gigabytes.npz", patch_records(packed, b"X.npy", 22, 24, b"\xfe\xff\xff\xff"))
    put("zip_claims_less.npz", patch_records(packed, b"X.npy", 22, 24, b"\x20\x00\x00\x00"))

    put_npz("npy_not_npy", X=b"hello, world")
    put_npz("npy_magic_only", X=b"\x93NUMPY")
    put_npz("npy_header_cut", X=npy(X)[:40])
    put_npz("npy_header_long", X=b"\x93NUMPY\x02\x00\xff\xff\xff\xff")
    put_npz("npy_header_above_cap", X=raw_npy(header() + " " * 70000, data, 2))
    put_npz("npy_header_garbage", X=raw_npy("{'descr': __import__('os')}\n", data))
    put_npz("npy_header_missing_shape",
            X=raw_npy("{'descr': '<f8', 'fortran_order': False}\n", data))
    put_npz("npy_header_repeated_key",
            X=raw_npy("{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (1,)}",
                      data))
    put_npz("npy_header_empty", X=raw_npy("", data))
    put_npz("npy_version_9", X=raw_npy(header(), data, 9))
    put_npz("npy_shape_overflow", X=raw_npy(header(shape="(4294967296, 4294967296, 4)"), data))
    put_npz("npy_shape_overflow_literal", X=raw_npy(header(shape="(99999999999999999999,)"), data))
    put_npz("npy_shape_negative", X=raw_npy(header(shape="(2, -2, 3)"), data))
    put_npz("npy_shape_float", X=raw_npy(header(shape="(2.0, 2, 3)"), data))
    put_npz("npy_shape_nine_axes", X=raw_npy(header(shape="(1, 1, 1, 1, 1, 1, 1, 1, 1)"), data))
    put_npz("npy_data_short", X=raw_npy(header(), data[:-1]))
    put_npz("npy_data_long", X=raw_npy(header(), data + b"\0"))
    put_npz("npy_data_none", X=raw_npy(header()))

    put_npz("type_object", X=raw_npy(header("'|O'"), data))
    put_npz("type_object_pickled", X=np.array([[[1, None]]], dtype=object))
    put_npz("type_bool", X=np.ones((2, 2, 3), dtype=bool))
    put_npz("type_complex", X=X.astype("c16"))
    put_npz("type_float16", X=X.astype("f2"))
    put_npz("type_long_double", X=raw_npy(header("'<f16'"), 2 * data))
    put_npz("type_text", X=np.full((2, 2, 3), "1"))
    put_npz("type_bytes", X=np.full((2, 2, 3), b"1"))
    put_npz("type_record", X=raw_npy(header("[('a', '<f8')]"), data))
    put_npz("type_date", X=np.zeros((2, 2, 3), dtype="<M8[s]"))
    put_npz("type_unknown", X=raw_npy(header("'<q8'"), data))
    put_npz("type_without_size", X=raw_npy(header("'<f'"), data))

    bad = X.copy()
    bad[1, 0, 2] = np.nan
    put_npz("value_nan", X=bad)
    bad[1, 0, 2] = -np.inf
    put_npz("value_inf", X=bad.astype("f4"))
    put_npz("value_nan_in_W", W=np.full((1, 3, 3), np.nan))
    put_npz("value_nan_in_y", y=np.array([1, np.nan]))
    put_npz("value_label", y=np.array([0, 1]))

    put_npz("shape_X_two_axes", X=X[0])
    put_npz("shape_X_zero_samples", X=X[:0], y=np.zeros(0))
    put_npz("shape_X_zero_dim", X=X[:, :, :0])
    put_npz("shape_y", y=np.array([[1, -1]]))
    put_npz("shape_y_count", y=np.array([1, -1, 1]))
    put_npz("shape_U", U=np.ones((1, 3, 3)))
    put_npz("shape_U_zero_heads", U=np.ones((0, 2, 3)), W=np.ones((0, 3, 3)))
    put_npz("shape_W", W=np.ones((1, 3, 2)))
    put_npz("shape_W_heads", W=np.ones((2, 3, 3)))
    put_npz("shape_ragged_dim", X=None, X_0=X[0], X_1=X[1, :, :2])
    put_npz("name_no_X", X=None)
    put_npz("name_gap", X=None, X_0=X[0], X_2=X[1])
    put_npz("name_both_X", X_0=X[0])
    put_npz("name_no_y", y=None)
    put_npz("name_no_U", U=None)
    put_npz("name_no_W", W=None)
    put_npz("name_kernel", U=None, W=None, W_Q=X)
    put_npz("word_loss", loss=np.array("hinge"))
    put_npz("word_loss_number", loss=np.array(1))
    put_npz("word_loss_two", loss=np.array(["logistic", "logistic"]))
    put_npz("word_loss_bad_character",
            loss=raw_npy(header("'<U1'", shape="()"), b"\xff\xff\xff\x7f"))
    put_npz("word_model", model=np.array("attsvm"))

    put_npz("accepted_big_endian", X=X.astype(">f8"), y=np.array([1, -1], dtype=">i2"))
    put_npz("accepted_fortran", X=np.asfortranarray(X))
    put_npz("accepted_fortran_big_endian", X=np.asfortranarray(X.astype(">f4")))
    put_npz("accepted_small_integers", X=X.astype("u1"), y=np.array([1, -1], dtype="i1"))
    put_npz("accepted_version_3", X=npy(X, (3, 0)))
    put_npz("accepted_python2", X=raw_npy(header(shape="(2L, 2L, 3L)"), data))
    put_npz("accepted_words", loss=np.array("exponential"), name=np.array(b"bytes"),
            model=np.array("mha", dtype=">U5"))
    put("accepted_deflate.npz", packed)
    put_json("accepted_byte_order_mark")
    with open(os.path.join(HERE, "accepted_byte_order_mark.json"), "rb") as original:
        text = original.read()
    put("accepted_byte_order_mark.json", b"\xef\xbb\xbf" + text)


if __name__ == "__main__":
    json_files()
    npz_files()
